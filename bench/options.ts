import { parseArgs } from 'node:util';

const SUITE_NAMES = ['keys', 'previews', 'start', 'files', 'packages', 'strangers'] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];

/** Tasks of `--against`. */
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

/** What `npm run bench` is asked for. */
export type BenchOptions =
  | { kind: 'against'; revision: string; tasks: readonly TaskName[] }
  | { kind: 'suites'; suites: readonly SuiteName[] };

/** Reads the arguments of `npm run bench`. Throws a sentence for unknown ones. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { against: { type: 'string' } },
  });
  if (values.against !== undefined) {
    const tasks = positionals.map((name) => oneOf('task', TASK_NAMES, name));
    return { kind: 'against', revision: values.against, tasks };
  }
  const suites = positionals.map((name) => oneOf('suite', SUITE_NAMES, name));
  return { kind: 'suites', suites: suites.length === 0 ? SUITE_NAMES : suites };
}

function oneOf<Name extends string>(what: string, names: readonly Name[], name: string): Name {
  const found = names.find((each) => each === name);
  if (found !== undefined) return found;
  throw new Error(`there is no ${what} "${name}"; there are ${names.join(', ')}`);
}
