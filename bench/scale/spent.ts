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

/** The middle of several, for one of `parts` that each did. */
export function middleOf(spent: readonly Spent[], parts = 1): Spent {
  const of = (name: keyof Spent) => median(spent.map((one) => one[name])) / parts;
  return { cpuMs: of('cpuMs'), databaseCpuMs: of('databaseCpuMs'), ms: of('ms') };
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
