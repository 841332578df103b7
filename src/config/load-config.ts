import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';

import { errorCode } from '../core/base/errors/api-error.js';
import { isRecord, valueAt } from '../core/base/json/is-record.js';
import { readEnvironment, type Override } from './input/environment.js';
import { configError, type ConfigError, type Problem } from './config-errors.js';
import { withOwnKeyFile } from './own-key-file.js';
import { parseConfig } from './parse-config.js';
import { readReferencedFiles, type ReferencedFiles } from './input/referenced-files.js';
import type { Config } from './schema.js';
import { listSettings } from './setting-tree.js';
import { readYaml, type YamlText } from './input/yaml-file.js';

/** `config.yaml:12`, the name of a variable, or `null` for a default. Entries of lists have lines of their own. */
export type OriginOf = (path: readonly (string | number)[]) => string | null;

export const NO_ORIGINS: OriginOf = () => null;

/** A configuration to run with, or everything that keeps it from being one. */
export type LoadedConfig = { readonly warnings: readonly ConfigError[] } & (
  | {
      readonly ok: true;
      readonly config: Config;
      readonly files: ReferencedFiles;
      readonly originOf: OriginOf;
    }
  | { readonly ok: false; readonly errors: readonly ConfigError[] }
);

/** `path` null means no file: defaults under the name `localhost`, for trying. `cwd` resolves relative paths then. */
export interface LoadOptions {
  readonly path: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The name a server has while it is tried out without a configuration. */
export const TRIAL_SERVER_NAME = 'localhost';

const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Reads the file, lays environment variables over it, checks everything and reads the files it names.
 * Relative paths count from the folder of the file, or from `cwd` without one. Never throws for what an
 * operator wrote: all errors come back at once, each with its location.
 */
export function loadConfig({ path, env, cwd }: LoadOptions): LoadedConfig {
  const file = path === null ? null : resolve(cwd, path);
  const text = file === null ? '{}' : readConfigText(file);
  if (typeof text !== 'string') return failed([configError(text, { file: path })]);

  const yaml = readYaml(text);
  const { overrides, problems, warnings: nearMisses } = readEnvironment(env);
  const early = problems.map(({ variable, problem }) => configError(problem, { variable }));
  if (yaml.error !== null) {
    const { problem, line, column } = yaml.error;
    return failed([configError(problem, { file: path, line, column }), ...early]);
  }

  const input = merge(yaml.value, overrides, file === null);
  const base = file === null ? cwd : dirname(file);
  const parsed = parseConfig(isRecord(input) ? withAbsolutePaths(withOwnKeyFile(input), base) : input);
  const located = (problem: Problem) => locate(problem, { file: path, yaml, overrides });
  const warnings = [...nearMisses, ...parsed.warnings].map(located);
  if (!parsed.ok) return failed([...early, ...parsed.problems.map(located)], warnings);

  const { files, problems: fileProblems } = readReferencedFiles(parsed.config);
  const errors = [...early, ...fileProblems.map(located)];
  if (errors.length > 0) return failed(errors, warnings);
  const originOf: OriginOf = (at) => {
    const override = overrideOf(at, overrides);
    if (override !== undefined) return override.variable;
    if (path === null || (valueAt(yaml.value, at) ?? null) === null) return null;
    return `${path}:${yaml.locate(at).line}`;
  };
  return { ok: true, config: parsed.config, files, originOf, warnings };
}

function failed(errors: readonly ConfigError[], warnings: readonly ConfigError[] = []): LoadedConfig {
  const inOrder = errors.toSorted(
    (a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0),
  );
  return { ok: false, errors: inOrder, warnings };
}

function readConfigText(file: string): string | Problem {
  try {
    if (statSync(file).size <= MAX_CONFIG_BYTES) return readFileSync(file, 'utf8');
    return { path: [], message: `is larger than ${MAX_CONFIG_BYTES} bytes` };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      return { path: [], message: 'there is no such file; "vidimus config generate" writes one' };
    const message = `cannot be read (${code === '' ? String(error) : code})`;
    return { path: [], message: code === 'EISDIR' ? 'is a folder' : message };
  }
}

/** An empty file is an empty map. */
function merge(fromFile: unknown, overrides: readonly Override[], isTrial: boolean): unknown {
  const merged: unknown = fromFile === null ? {} : structuredClone(fromFile);
  if (!isRecord(merged)) return merged;
  if (isTrial) merged['server_name'] = TRIAL_SERVER_NAME;
  for (const { path, value } of overrides) setMember(merged, path, () => value);
  return merged;
}

function withAbsolutePaths(input: Record<string, unknown>, base: string): Record<string, unknown> {
  const absolute = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(absolute);
    return typeof value === 'string' && value !== '' && !isAbsolute(value) ? resolve(base, value) : value;
  };
  for (const { name, about } of listSettings()) {
    if (about.kind.isPath)
      setMember(input, name.split('.'), (value) => absolute(value === undefined ? about.default : value));
  }
  return input;
}

/** Sets a member, making the groups on the way; a group that is no map stays as it is, to be reported. */
export function setMember(
  target: object,
  [name = '', ...rest]: readonly string[],
  change: (old: unknown) => unknown,
): void {
  const old = valueAt(target, [name]);
  const value = rest.length === 0 ? change(old) : (old ?? {});
  if (value !== undefined) Reflect.set(target, name, value);
  if (rest.length > 0 && isRecord(value)) setMember(value, rest, change);
}

interface Origins {
  readonly file: string | null;
  readonly yaml: YamlText;
  readonly overrides: readonly Override[];
}

function locate(problem: Problem, { file, yaml, overrides }: Origins): ConfigError {
  const override = overrideOf(problem.path, overrides);
  if (override !== undefined) return configError(problem, { variable: override.variable });
  return configError(problem, file === null ? {} : { file, ...yaml.locate(problem.path, problem.isName) });
}

function overrideOf(at: readonly (string | number)[], overrides: readonly Override[]): Override | undefined {
  return overrides.find(({ path }) => path.every((step, index) => at[index] === step));
}
