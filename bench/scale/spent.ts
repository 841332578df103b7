import { openDatabase, type DatabaseOptions } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import { median } from '../support/compare.js';
import { exactCpuMsOf, exactCpuMsOfChildren } from '../support/process-usage.js';

/** What something took. */
export interface Spent {
  /** Of the program and, on PostgreSQL, of the processes of the database, ms. */
  cpuMs: number;
  /** The part of the database's own processes. */
  databaseCpuMs: number;
  ms: number;
}

/** Whose processor time is counted. */
export interface Meter {
  measure(work: () => Promise<unknown>): Promise<Spent>;
}

/** Counts the time of a process and of the PostgreSQL server that it uses, which nobody else does meanwhile. */
export function createMeter(pid: number, postmaster: number | null): Meter {
  const ours = pid === process.pid ? async () => ownCpuMs() : async () => (await exactCpuMsOf(pid)) ?? 0;
  const ofDatabase = async () => (postmaster === null ? 0 : exactCpuMsOfChildren(postmaster));
  return {
    measure: async (work) => {
      const databaseBefore = await ofDatabase();
      const before = await ours();
      const startedMs = performance.now();
      await work();
      const ms = performance.now() - startedMs;
      const cpuMs = (await ours()) - before;
      const databaseCpuMs = (await ofDatabase()) - databaseBefore;
      return { cpuMs: cpuMs + databaseCpuMs, databaseCpuMs, ms };
    },
  };
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Something that is measured several times. */
export interface MeasuredCase {
  name: string;
  /** In each turn. */
  runs: number;
  measure: (turn: number) => Promise<Spent>;
}

/**
 * What the cases of each of several took, by name, in the order of the turns: of each in turn, so that what else the
 * machine does meanwhile hits all of them.
 */
export async function measureInTurns(
  turns: number,
  all: readonly (readonly MeasuredCase[])[],
): Promise<Map<string, Spent[]>[]> {
  const spent = all.map((cases) => new Map(cases.map(({ name }): [string, Spent[]] => [name, []])));
  for (let turn = 0; turn < turns; turn += 1)
    for (const [at, cases] of all.entries())
      for (const { name, runs, measure } of cases)
        for (let run = 0; run < runs; run += 1) spent[at]?.get(name)?.push(await measure(turn));
  return spent;
}

/** The middle of several. */
export function middleOf(spent: readonly Spent[]): Spent {
  const of = (name: keyof Spent) => median(spent.map((one) => one[name]));
  return { cpuMs: of('cpuMs'), databaseCpuMs: of('databaseCpuMs'), ms: of('ms') };
}

/** What each of several took that did it together. */
export function eachOf({ cpuMs, databaseCpuMs, ms }: Spent, parts: number): Spent {
  return { cpuMs: cpuMs / parts, databaseCpuMs: databaseCpuMs / parts, ms: ms / parts };
}

/** Process id of the PostgreSQL server, which must run on this machine; `null` for SQLite. */
export async function postmasterOf(options: DatabaseOptions): Promise<number | null> {
  if (options.engine === 'sqlite') return null;
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    const [row] = await database.client.$queryRaw<
      { text: string }[]
    >`SELECT pg_read_file('postmaster.pid') AS text`;
    return Number(row?.text.split('\n')[0]);
  } finally {
    await database.close();
  }
}
