import { parseArgs } from 'node:util';

import type { ScaleOptions } from './scale/scale.js';

/** Suites that a plain run measures, and those that take many minutes, or nginx. */
const PLAIN_SUITES = ['keys', 'previews', 'lists'] as const;
const LONG_SUITES = ['log', 'copy', 'instances', 'start', 'one-address', 'scale'] as const;
const SUITE_NAMES = [...PLAIN_SUITES, ...LONG_SUITES];
export type SuiteName = (typeof SUITE_NAMES)[number];

/** What `profile`, `parts` and `--against` look into. */
const TASK_NAMES = [
  'get',
  'post',
  'same-batch',
  'other-batch',
  'batch-fetch',
  'single-fetch',
  'delegated-fetch',
  'cached-preview',
  'previews',
  'hostile',
] as const;
export type TaskName = (typeof TASK_NAMES)[number];

const ENGINES = ['sqlite', 'postgresql'] as const;

/** What `npm run bench` is asked for. */
export type BenchOptions =
  | { kind: 'profile'; task: TaskName }
  | { kind: 'parts'; task: TaskName }
  | { kind: 'against'; revision: string; tasks: readonly TaskName[] }
  | { kind: 'suites'; suites: readonly SuiteName[]; scale: ScaleOptions; recordedAs: string | null };

/** Reads the arguments of `npm run bench`. Throws a sentence for what it does not have. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      against: { type: 'string' },
      record: { type: 'boolean', default: false },
      most: { type: 'string', default: '1000000' },
      engine: { type: 'string' },
      keep: { type: 'string' },
      case: { type: 'string', default: '' },
    },
  });
  const { against: revision, most, engine, keep = null, case: part, record: isRecorded } = values;
  const [first, ...others] = positionals;
  if (isRecorded && (first === 'profile' || first === 'parts' || revision !== undefined))
    throw new Error('--record is for suites: profiles, parts and comparisons are not recorded');
  if (first === 'profile' || first === 'parts')
    return { kind: first, task: oneOf('task', TASK_NAMES, others[0] ?? '') };
  if (revision !== undefined) {
    const tasks = positionals.map((name) => oneOf('task', TASK_NAMES, name));
    return { kind: 'against', revision, tasks };
  }
  const suites = positionals.map((name) => oneOf('suite', SUITE_NAMES, name));
  const engines = engine === undefined ? ENGINES : [oneOf('engine', ENGINES, engine)];
  if (isRecorded && part !== '') throw new Error('--case is not recorded: a result has all cases');
  const scale = { most: numberOf('most', most), engines, keep, part };
  // Where the databases are kept is a place of this machine.
  const command = args.filter(
    (arg, at) => arg !== '--record' && arg !== '--keep' && args[at - 1] !== '--keep',
  );
  const recordedAs = isRecorded ? command.join(' ') : null;
  return { kind: 'suites', suites: suites.length === 0 ? PLAIN_SUITES : suites, scale, recordedAs };
}

/** The name, if it is one of those there are. Throws a sentence that lists them. */
export function oneOf<Name extends string>(what: string, names: readonly Name[], name: string): Name {
  const found = names.find((each) => each === name);
  if (found !== undefined) return found;
  throw new Error(`there is no ${what} "${name}"; there are ${names.join(', ')}`);
}

/** The number an option was given as text. Throws a sentence for anything else. */
export function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (text !== '' && value >= 0) return value;
  throw new Error(`--${option} is no number: ${text}`);
}
