import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/core/store/db.js';
import { migrate } from '../../src/core/store/migrate.js';
import { startTestPostgres } from '../../tests/support/store/databases.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { fillScale, type Filled } from './fill.js';
import { dropPlace, placeOf } from './places.js';
import { measureServers, type MeasuredServer, type ServedStore } from './server-cases.js';
import { createMeter, postmasterOf, type Spent } from './spent.js';
import { measureStores, measureTotalsOf, storedOf, type Measured, type Store } from './store-cases.js';

/** How far the series goes. */
export interface ScaleOptions {
  /** Key records of the greatest step. */
  most: number;
  engines: readonly DatabaseOptions['engine'][];
  /** A folder in which filled databases stay, large ones to be found again; `null`: all go when they have been measured. */
  keep: string | null;
  /** Of the cases of the stores those that have it in their name, and nothing of the server; empty: everything. */
  part: string;
}

const STEPS = [10_000, 100_000, 1_000_000, 10_000_000];
/** Others are compared with this step. */
const BASE = 100_000;
const MOST_TIMES = 2;
/** Below it, differences are those of the meter. */
const GRAIN_MS = 0.5;
/** In the background, where nobody waits for it. */
const TOTALS = 'totals of everything, counted';
/** What the engine still does after a fill. */
const SETTLE_MS = 2000;

/** Look-ups, lists, cleanup, start and memory over 10,000 key records and 5,000 previews, and ten times as many, and so on. */
export async function benchScale(folder: string, options: ScaleOptions): Promise<ReportLine[]> {
  const root = options.keep ?? folder;
  mkdirSync(root, { recursive: true });
  const lines: ReportLine[] = [];
  for (const engine of options.engines) {
    const postgres = engine === 'postgresql' ? await startTestPostgres(tmpdir()) : null;
    if (engine === 'postgresql' && postgres === null) continue;
    try {
      lines.push(...(await measureEngine(root, postgres?.url ?? null, options)));
    } finally {
      await postgres?.stop();
    }
  }
  for (const line of lines) console.log(`${line.case}: ${line.text}`);
  return lines;
}

async function measureEngine(
  root: string,
  url: string | null,
  { most, keep, part }: ScaleOptions,
): Promise<ReportLine[]> {
  const steps: ServedStore[] = [];
  for (const records of STEPS.filter((step) => step <= most)) {
    const folder = join(root, `served-${url === null ? 'sqlite' : 'postgresql'}-${records}`);
    const options = await placeOf({ root, records }, url);
    // A run takes 2,500 previews away: of few so many that what is left is found faster.
    const isReused = keep !== null && records > BASE;
    if (!isReused) {
      await dropPlace(options, url);
      rmSync(folder, { recursive: true, force: true });
      await placeOf({ root, records }, url);
    }
    mkdirSync(folder, { recursive: true });
    const filled = await filledOf(options, { root, records, isReused });
    steps.push({ options, folder, filled, postmaster: await postmasterOf(options) });
  }
  await sleep(SETTLE_MS);
  // The server alone is no store case, and takes minutes.
  const served = part === '' ? await measureServed(steps) : [];
  const stored = await measureTurns(steps, part);
  for (const { options, folder } of keep === null ? steps : []) {
    await dropPlace(options, url);
    // The database knew the keys that lie there.
    rmSync(folder, { recursive: true, force: true });
  }
  const base = new Map<string, number>();
  return steps.flatMap(({ options, filled: { records } }, at) =>
    linesOf(
      { engine: options.engine, records },
      { served: served[at], stored: stored[at] ?? new Map(), base },
    ),
  );
}

async function measureServed(steps: readonly ServedStore[]): Promise<MeasuredServer[]> {
  const totals: Spent[] = [];
  const stores: ServedStore[] = [];
  for (const step of steps) {
    const { options, filled, postmaster } = step;
    // First, so that no server counts everything itself while it is measured.
    const meter = createMeter(process.pid, postmaster);
    totals.push(await withDatabase(options, (database) => measureTotalsOf(database, meter)));
    const addresses = await withDatabase(options, (database) => storedOf(database, filled.addresses));
    stores.push({ ...step, filled: { ...filled, addresses } });
  }
  const servers = await measureServers(stores);
  for (const [at, spent] of totals.entries()) servers[at]?.measured.set(TOTALS, spent);
  return servers;
}

async function measureTurns(steps: readonly ServedStore[], part: string): Promise<Measured[]> {
  const databases: Database[] = [];
  try {
    const stores: Store[] = [];
    for (const { options, folder, filled, postmaster } of steps) {
      const database = await openDatabase(options, createLogger({ level: 'silent' }));
      databases.push(database);
      const meter = createMeter(process.pid, postmaster);
      stores.push({ database, meter, folder, previews: filled.previews });
    }
    return await measureStores(stores, part);
  } finally {
    for (const database of databases) await database.close();
  }
}

function linesOf(
  at: Place,
  {
    served,
    stored,
    base,
  }: { served: MeasuredServer | undefined; stored: Measured; base: Map<string, number> },
): ReportLine[] {
  const measured = new Map([...(served?.measured ?? []), ...stored]);
  const lines = Array.from(measured, ([name, spent]) => lineOf(name, spent, { at, base }));
  if (served === undefined) return lines;
  return [
    ...lines,
    memoryLine('memory, idle', served.idleMb, at),
    memoryLine('memory, after look-ups', served.usedMb, at),
  ];
}

async function withDatabase<Result>(
  options: DatabaseOptions,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function filledOf(
  options: DatabaseOptions,
  { root, records, isReused }: { root: string; records: number; isReused: boolean },
): Promise<Filled> {
  const note = join(root, `filled-${options.engine}-${records}.json`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written below
  if (isReused && existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as Filled;
  await migrate(options, createLogger({ level: 'silent' }));
  const startedMs = performance.now();
  const filled = await fillScale(options, records);
  console.log(
    `${options.engine}: ${records} key records filled in ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
  if (isReused) writeFileSync(note, JSON.stringify(filled));
  return filled;
}

type Place = Omit<NonNullable<ReportLine['at']>, 'series'>;

function lineOf(
  name: string,
  spent: Spent,
  { at, base }: { at: Place; base: Map<string, number> },
): ReportLine {
  const { cpuMs, databaseCpuMs, ms } = spent;
  if (at.records === BASE) base.set(name, cpuMs);
  const before = at.records > BASE && name !== TOTALS ? base.get(name) : undefined;
  return {
    case: `${at.engine}, ${at.records.toLocaleString('en-US')}: ${name}`,
    at: { ...at, series: name },
    figures: { cpuMs, databaseCpuMs, ms },
    text: `${formatNumber(cpuMs)} ms CPU, ${formatNumber(ms)} ms`,
    mark: before === undefined ? null : `at most ${MOST_TIMES} times that at 100,000`,
    reached: before === undefined ? null : cpuMs <= MOST_TIMES * before + GRAIN_MS,
  };
}

function memoryLine(name: string, mb: number, at: Place): ReportLine {
  return {
    case: `${at.engine}, ${at.records.toLocaleString('en-US')}: ${name}`,
    at: { ...at, series: name },
    figures: { rssMb: mb },
    text: `${formatNumber(mb)} MB`,
    mark: null,
    reached: null,
  };
}
