import type { z } from 'zod';
import { isRecord, valueAt } from '../core/base/json/is-record.js';
import { crossCheck } from './cross-checks.js';
import { dottedName, type Problem } from './config-errors.js';
import { nearestName } from './input/nearest-name.js';
import { withOwnKeyFile } from './own-key-file.js';
import { CONFIG_SCHEMA, type Config } from './schema.js';
import { aboutOf, enclosingSetting, SETTING_NAMES } from './setting-tree.js';
import { replacementOf } from './removed-settings.js';
import { UNUSED_SETTINGS } from './unused-settings.js';

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
    return {
      ok: false,
      problems: result.error.issues.flatMap((issue) => problemsOf(issue, input)),
      warnings: [],
    };
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
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => unknownName([...path, name], siblingsOf(path)));
  }
  if (issue.code === 'invalid_union') {
    const deeper = issue.errors.filter((errors) => errors.some((error) => error.path.length > 0));
    const [only] = deeper;
    if (deeper.length === 1 && only !== undefined) {
      return only.flatMap((error) => problemsOf({ ...error, path: [...issue.path, ...error.path] }, input));
    }
  }
  const nested = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
  return [
    {
      path,
      at: issue.code === 'invalid_key' ? 'name' : 'value',
      message: messageOf(issue, valueAt(input, path), enclosingSetting(path)?.secret ?? false),
      wanted: nested ?? issue.message,
      suggestion: null,
    },
  ];
}

function messageOf(issue: z.core.$ZodIssue, value: unknown, secret: boolean): string {
  if (issue.code === 'custom' && typeof issue.params?.['problem'] === 'string')
    return issue.params['problem'];
  if (issue.code === 'invalid_key') return 'is no usable name';
  if (value === undefined) return 'is missing';
  if (value === null) return 'has no value; remove the line to use the default';
  if (secret) return 'has the wrong form';
  if (Array.isArray(value)) return 'is a list';
  if (typeof value === 'object') return 'is a map';
  return `is ${JSON.stringify(value).slice(0, 80)}`;
}

function unknownName(path: (string | number)[], siblings: readonly string[]): Problem {
  const dotted = dottedName(path);
  const last = String(path.at(-1));
  const reason = UNUSED_SETTINGS.get(dotted);
  const replacement = replacementOf(path);
  const problem = { path, at: 'name', wanted: null } as const;
  if (reason !== undefined)
    return { ...problem, message: `not used by Vidimus: ${reason}`, suggestion: null };
  if (replacement !== null) return { ...problem, message: replacement, suggestion: null };
  const parent = path.slice(0, -1);
  const near = nearestName(last, siblings);
  const elsewhere = SETTING_NAMES.find((name) => name !== dotted && name.split('.').at(-1) === last);
  const suggestion = elsewhere ?? (near === null ? null : dottedName([...parent, near]));
  const wanted = suggestion === null && siblings.length <= 12 ? `one of ${siblings.join(', ')}` : null;
  return { ...problem, message: 'unknown setting', wanted, suggestion };
}

/** Names that may stand at a path: found by offering the schema a name it cannot know. */
function siblingsOf(path: readonly (string | number)[]): string[] {
  return namesWithin(CONFIG_SCHEMA, path);
}

function namesWithin(schema: unknown, path: readonly (string | number)[]): string[] {
  const definition = valueAt(schema, ['_zod', 'def']);
  const partOf = (name: string): unknown => valueAt(definition, [name]);
  const [step, ...rest] = path;
  const shape = partOf('shape');
  if (isRecord(shape)) {
    if (step === undefined) return Object.keys(shape);
    return Object.hasOwn(shape, step) ? namesWithin(shape[step], rest) : [];
  }
  const options = partOf('options');
  if (Array.isArray(options)) return options.flatMap((option) => namesWithin(option, path));
  const within = partOf('element') ?? partOf('valueType');
  if (within !== undefined) return step === undefined ? [] : namesWithin(within, rest);
  const inner = partOf('innerType') ?? partOf('in');
  return inner === undefined ? [] : namesWithin(inner, path);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(member);
  return value instanceof Map ? value : Object.freeze(value);
}
