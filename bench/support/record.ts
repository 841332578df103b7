import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';

import { VERSION } from '../../src/config/version.js';
import type { ReportLine } from './report.js';

/** One run of a suite: on what, when, and what came out. */
export interface RecordedSuite {
  /** Of the sources that were measured. */
  commit: string;
  /** What followed `npm run bench -- `, without `--record`. */
  command: string;
  /** UTC. */
  date: string;
  node: string;
  cores: number;
  /** Processes that wanted a processor, on average over the last quarter of an hour. */
  load: number;
  seconds: number;
  lines: Omit<ReportLine, 'text'>[];
}

/** What `docs/bench/VERSION.json` holds. */
export interface RecordedVersion {
  version: string;
  /** By the name of the suite; one that runs again takes the place of what there was. */
  suites: Record<string, RecordedSuite>;
}

/**
 * The commit whose sources lie below `root`, for results that are to be recorded. Throws when there is none of exactly
 * these sources, or another build is measured: nobody could measure that again. Documents do not matter.
 */
export function commitToRecord(root: string): string {
  if (process.env['BENCH_PROGRAM'] !== undefined)
    throw new Error('only the build of these sources is recorded: leave BENCH_PROGRAM out');
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const changed = git('status', '--porcelain', '--', '.', ':!docs').trimEnd();
  if (changed !== '') throw new Error(`only what is committed is recorded; changed are:\n${changed}`);
  return git('rev-parse', '--short=12', 'HEAD').trim();
}

/** Writes what suites of a commit came to into the file of this version below `root`; its path. */
export function recordSuites(
  root: string,
  { commit, command }: Pick<RecordedSuite, 'commit' | 'command'>,
  suites: ReadonlyMap<
    string,
    Pick<RecordedSuite, 'node' | 'cores' | 'seconds'> & { lines: readonly ReportLine[] }
  >,
): string {
  const folder = join(root, 'docs/bench');
  const path = join(folder, `${VERSION}.json`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written below
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RecordedVersion) : null;
  const date = new Date().toISOString().slice(0, 10);
  const load = rounded(loadavg()[2] ?? 0);
  const recorded = Array.from(suites, ([name, { lines, node, cores, seconds }]): [string, RecordedSuite] => [
    name,
    {
      commit,
      command,
      date,
      node,
      cores,
      load,
      seconds,
      lines: [...otherSteps(before?.suites[name], lines), ...lines.map(plain)],
    },
  ]);
  const all: RecordedVersion = {
    version: VERSION,
    suites: { ...before?.suites, ...Object.fromEntries(recorded) },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(all, null, 1)}\n`);
  return path;
}

/** A series of growing databases may be measured one engine after the other, and one step after the other. */
function otherSteps(before: RecordedSuite | undefined, lines: readonly ReportLine[]): RecordedSuite['lines'] {
  const stepOf = ({ at }: Pick<ReportLine, 'at'>): string => `${at?.engine} ${at?.records}`;
  const measured = new Set(lines.map(stepOf));
  return before?.lines.filter((line) => line.at !== undefined && !measured.has(stepOf(line))) ?? [];
}

/** Without what the figures say already, and with no more digits than they are worth. */
function plain({ case: name, at, figures, mark, reached }: ReportLine): Omit<ReportLine, 'text'> {
  const shorter = Object.entries(figures).map(([figure, value]) => [
    figure,
    value === null ? null : rounded(value),
  ]);
  return { case: name, at, figures: Object.fromEntries(shorter) as ReportLine['figures'], mark, reached };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
