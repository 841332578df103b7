import type { z } from 'zod';
import { isRecord, valueAt } from '../core/base/json/is-record.js';
import { crossCheck } from './cross-checks.js';
import type { Problem } from './config-errors.js';
import { withOwnKeyFile } from './own-key-file.js';
import { CONFIG_SCHEMA, type Config } from './schema.js';
import { unknownSetting } from './input/unknown-setting.js';
import { aboutOf, enclosingSetting, findSetting } from './setting-tree.js';

/** A checked configuration with remarks, or everything that is wrong. */
export type ParsedConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Checks a plain value against the schema, then the settings against each other. The configuration is frozen.
 * Reads no file: paths stay as they are given.
 */
export function parseConfig(value: unknown): ParsedConfig {
  const groups = withEmptyGroups(value, CONFIG_SCHEMA.shape);
  const input = isRecord(groups) ? withOwnKeyFile(groups) : groups;
  // Read once: making code for it would take longer.
  const result = CONFIG_SCHEMA.safeParse(input, { jitless: true });
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => problemsOf(issue, input));
    return { ok: false, problems, warnings: [] };
  }
  const config: Config = deepFreeze(result.data);
  const { problems, warnings } = crossCheck(config);
  return problems.length > 0 ? { ok: false, problems, warnings } : { ok: true, config, warnings };
}

/** A group whose members are all commented out is `null` in YAML. */
function withEmptyGroups(value: unknown, shape: Readonly<Record<string, z.ZodType>>): unknown {
  if (!isRecord(value)) return value;
  const copy = { ...value };
  for (const [name, schema] of Object.entries(shape)) {
    const about = aboutOf(schema, name);
    if (about.type !== 'group' || !Object.hasOwn(copy, name)) continue;
    copy[name] = copy[name] === null ? {} : withEmptyGroups(copy[name], about.shape);
  }
  return copy;
}

function problemsOf(issue: z.core.$ZodIssue, input: unknown): Problem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => unknownName([...path, name], issue.message));
  if (issue.code === 'invalid_union') {
    const [only, ...others] = issue.errors.filter((errors) => errors.some((error) => error.path.length > 0));
    if (only !== undefined && others.length === 0)
      return only.flatMap((error) => problemsOf({ ...error, path: [...issue.path, ...error.path] }, input));
  }
  const isName = issue.code === 'invalid_key';
  const message = messageOf(issue, valueAt(input, path), enclosingSetting(path)?.secret ?? false);
  const wanted = (isName ? issue.issues[0]?.message : undefined) ?? issue.message;
  return [{ path, isName, message, wanted }];
}

function messageOf(issue: z.core.$ZodIssue, value: unknown, secret: boolean): string {
  if (issue.code === 'custom' && typeof issue.params?.['problem'] === 'string')
    return issue.params['problem'];
  if (issue.code === 'invalid_key') return 'is not a usable name';
  if (value === undefined) return 'is missing';
  if (value === null) return 'has no value; remove the line to use the default';
  if (secret) return 'has the wrong form';
  if (Array.isArray(value)) return 'is a list';
  if (typeof value === 'object') return 'is a map';
  return `is ${JSON.stringify(value).slice(0, 80)}`;
}

/** With what the map may hold where nothing better is known. */
function unknownName(path: (string | number)[], form: string): Problem {
  const group = findSetting(path.slice(0, -1));
  const members =
    group?.type === 'group' ? `one of ${Object.keys(group.shape).join(', ')}` : path.length > 1 ? form : null;
  const unknown = unknownSetting(path);
  return { path, isName: true, ...unknown, wanted: unknown.suggestion === null ? members : null };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(member);
  return value instanceof Map ? value : Object.freeze(value);
}
