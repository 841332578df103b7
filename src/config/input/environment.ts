import type { SettingAbout } from '../kinds/setting.js';
import { valueProblem, type Problem } from '../config-errors.js';

import { findSetting, SETTING_NAMES } from '../setting-tree.js';
import { unknownSetting } from './unknown-setting.js';
import { readYaml } from './yaml-file.js';

const PREFIX = 'VIDIMUS__';

export interface Override {
  readonly variable: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Reads variables `VIDIMUS__SETTING` and `VIDIMUS__GROUP__SETTING`; case does not count. A value that begins with
 * `[`, `{` or a quote is YAML, `true`, `false` and whole numbers are what they seem, all else is text as it stands.
 * Warns of variables with one underscore too few.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const overrides: Override[] = [];
  const problems: { variable: string; problem: Problem }[] = [];
  for (const [variable, text] of Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (text === undefined || !variable.toUpperCase().startsWith(PREFIX)) continue;
    const path = variable.slice(PREFIX.length).toLowerCase().split('__');
    const read = readOverride(path, text);
    const twin = overrides.find((other) => other.path.join('.') === path.join('.'));
    if ('message' in read) problems.push({ variable, problem: { path, ...read } });
    else if (twin !== undefined)
      problems.push({ variable, problem: { path, message: `is set by ${twin.variable} too` } });
    else overrides.push({ variable, path, value: read.value });
  }
  return { overrides, problems, warnings: nearMisses(Object.keys(env)) };
}

/** Others that begin so are left alone: container programs set some for each neighbour. */
function nearMisses(variables: readonly string[]): Problem[] {
  const byName = new Map(SETTING_NAMES.map((name) => [name.replaceAll('.', '_'), name]));
  return variables.toSorted().flatMap((variable) => {
    const name = /^VIDIMUS_(?!_)(.+)$/i.exec(variable)?.[1]?.toLowerCase().replaceAll('__', '_') ?? '';
    const setting = byName.get(name);
    if (setting === undefined) return [];
    const wanted = `${PREFIX}${setting.toUpperCase().replaceAll('.', '__')}`;
    return [valueProblem(setting, `is not set by ${variable}; the variable is ${wanted}`)];
  });
}

type Read = { value: unknown } | Omit<Problem, 'path'>;

function readOverride(path: readonly string[], text: string): Read {
  const about = findSetting(path);
  if (about?.type === 'group') return { message: 'is a group; set its members one by one' };
  if (about !== null) return readValue(text.trim(), about);
  return unknownSetting(path);
}

function readValue(text: string, { kind: { schema } }: SettingAbout): Read {
  if (text === '') return { message: 'is empty; unset the variable to use the default' };
  if (/^[[{"']/.test(text)) {
    const { value, error } = readYaml(text);
    return error === null ? { value } : { message: error.problem.message };
  }
  const scalar = /^-?\d{1,16}$/.test(text)
    ? Number(text)
    : /^(?:true|false)$/.test(text)
      ? text === 'true'
      : text;
  // A number may be meant as text.
  return { value: schema.safeParse(scalar).success || !schema.safeParse(text).success ? scalar : text };
}
