import type { z } from 'zod';
import { CONFIG_SCHEMA } from './schema.js';
import { ABOUT, type About, type SettingAbout } from './kinds/setting.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Every setting of a shape (all of them by default) in the order of the sample, groups resolved. */
export function listSettings(
  shape: Shape = CONFIG_SCHEMA.shape,
  prefix = '',
): { name: string; about: SettingAbout }[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const about = aboutOf(schema, prefix + name);
    return about.type === 'group'
      ? listSettings(about.shape, `${prefix}${name}.`)
      : [{ name: prefix + name, about }];
  });
}

export const SETTING_NAMES: readonly string[] = listSettings().map(({ name }) => name);

/** The setting or group at exactly this path; null when there is none. */
export function findSetting(path: readonly (string | number)[]): About | null {
  let shape: Shape = CONFIG_SCHEMA.shape;
  let found: About | null = null;
  for (const step of path) {
    if (found?.type === 'setting' || !Object.hasOwn(shape, step)) return null;
    const schema = shape[step];
    if (schema === undefined) return null;
    found = aboutOf(schema, String(step));
    if (found.type === 'group') shape = found.shape;
  }
  return found;
}

/** The setting a path is or lies within (`listeners[0].port` lies within `listeners`); null when there is none. */
export function enclosingSetting(path: readonly (string | number)[]): SettingAbout | null {
  for (let length = 1; length <= path.length; length += 1) {
    const about = findSetting(path.slice(0, length));
    if (about?.type === 'setting') return about;
  }
  return null;
}

/** What is known of a schema; throws for one that was not made by `setting.ts`. */
export function aboutOf(schema: z.ZodType, name: string): About {
  const about = ABOUT.get(schema);
  if (about === undefined) throw new Error(`Setting ${name} has no description`);
  return about;
}
