import type { SettingAbout } from '../kinds/setting.js';
import { valueProblem, type Problem } from '../config-errors.js';
import { nearestName } from './nearest-name.js';
import { replacementOf } from '../removed-settings.js';
import { findSetting, SETTING_NAMES } from '../setting-tree.js';
import { readYaml } from './yaml-file.js';

const PREFIX = 'VIDIMUS__';

/** A setting given by an environment variable. */
export interface Override {
  readonly variable: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Variables that name settings, and problems with those that do not. */
export interface Overrides {
  readonly overrides: readonly Override[];
  readonly problems: readonly { variable: string; problem: Problem }[];
  /** Variables that would name a setting with two underscores; others that begin so are not ours. */
  readonly warnings: readonly Problem[];
}

/**
 * Reads variables `VIDIMUS__SETTING` and `VIDIMUS__GROUP__SETTING`; case does not count. A value that begins with
 * `[`, `{` or a quote is YAML, `true`, `false` and whole numbers are what they seem, all else is text as it stands.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Overrides {
  const overrides: Override[] = [];
  const problems: { variable: string; problem: Problem }[] = [];
  for (const [variable, text] of Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (text === undefined || !variable.toUpperCase().startsWith(PREFIX)) continue;
    const path = variable.slice(PREFIX.length).toLowerCase().split('__');
    const fail = (message: string, suggestion: string | null = null) => {
      problems.push({ variable, problem: { path, at: 'value', message, wanted: null, suggestion } });
    };
    const about = findSetting(path);
    const twin = overrides.find((other) => other.path.join('.') === path.join('.'));
    const replacement = about === null ? replacementOf(path) : null;
    if (replacement !== null) fail(replacement);
    else if (about === null) fail('unknown setting', nearestName(path.join('.'), SETTING_NAMES));
    else if (about.type === 'group') fail('is a group; set its members one by one');
    else if (twin !== undefined) fail(`is set by ${twin.variable} too`);
    else {
      const read = readValue(text, about);
      if (read.message === null) overrides.push({ variable, path, value: read.value });
      else fail(read.message);
    }
  }
  return { overrides, problems, warnings: nearMisses(Object.keys(env)) };
}

/** `VIDIMUS_LOG_LEVEL` is no setting; nor is what an orchestrator adds for a service of this name. */
function nearMisses(variables: readonly string[]): Problem[] {
  const byName = new Map(SETTING_NAMES.map((name) => [name.replaceAll('.', '_'), name]));
  return variables.toSorted().flatMap((variable) => {
    const name = /^VIDIMUS_(?!_)(.+)$/i.exec(variable)?.[1]?.toLowerCase().replaceAll('__', '_');
    const setting = name === undefined ? undefined : byName.get(name);
    if (setting === undefined) return [];
    const wanted = `${PREFIX}${setting.toUpperCase().replaceAll('.', '__')}`;
    return [valueProblem(setting, `is not set by ${variable}; the variable is ${wanted}`)];
  });
}

function readValue(text: string, about: SettingAbout): { value: unknown; message: string | null } {
  const trimmed = text.trim();
  if (trimmed === '') return { value: null, message: 'is empty; unset the variable to use the default' };
  if (/^[[{"']/.test(trimmed)) {
    const yaml = readYaml(trimmed);
    const message = yaml.errors[0]?.problem.message ?? null;
    return { value: yaml.value, message };
  }
  const scalar = /^(true|false)$/.test(trimmed) ? trimmed === 'true' : toInteger(trimmed);
  const isWanted = scalar !== null && about.kind.schema.safeParse(scalar).success;
  return {
    value: isWanted || !about.kind.schema.safeParse(trimmed).success ? (scalar ?? trimmed) : trimmed,
    message: null,
  };
}

function toInteger(text: string): number | null {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : null;
}
