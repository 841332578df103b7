import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/core/store/db.js';
import { migrate } from '../../src/core/store/migrate.js';
import { startTestPostgres } from '../../tests/support/store/databases.js';
import { formatNumber, type ReportLine } from '../support/report.js';
import { fillScale, type Filled } from './fill.js';
import { dropPlace, placeOf } from './places.js';
import { measureServer } from './server-cases.js';
import { createMeter, postmasterOf, type Spent } from './spent.js';
import { measureCleanup, measureLists, measureTotalsOf, storedOf } from './store-cases.js';

/** How far the series goes. */
export interface ScaleOptions {
  /** Key records of the greatest step. */
  most: number;
  engines: readonly DatabaseOptions['engine'][];
  /** A folder in which filled databases stay and are found again; `null`: each goes when it has been measured. */
  keep: string | null;
}

const STEPS = [10_000, 100_000, 1_000_000, 10_000_000];
/** Others are compared with this step. */
const BASE = 100_000;
const MOST_TIMES = 2;
/** Below it, differences are those of the meter. */
const GRAIN_MS = 0.5;
/** What takes time in the background, and what nobody waits for. */
const FREE = new Set(['totals of everything, counted']);
/** What the engine still does after a fill. */
const SETTLE_MS = 2000;

/** Look-ups, lists, cleanup, start and memory over 10,000 key records and 5,000 previews, and ten times as many, and so on. */
export async function benchScale(
  folder: string,
  { most, engines, keep }: ScaleOptions,
): Promise<ReportLine[]> {
  const root = keep ?? folder;
  mkdirSync(root, { recursive: true });
  const lines: ReportLine[] = [];
  for (const engine of engines) {
    const postgres = engine === 'postgresql' ? await startTestPostgres() : null;
    if (engine === 'postgresql' && postgres === null) continue;
    try {
      const base = new Map<string, number>();
      for (const records of STEPS.filter((step) => step <= most)) {
        const options = await placeOf({ root, records }, postgres?.url ?? null);
        for (const line of await measureStep(options, { root, records, isKept: keep !== null }, base)) {
          console.log(`${line.case}: ${line.text}`);
          lines.push(line);
        }
        if (keep === null) await dropPlace(options, postgres?.url ?? null);
      }
    } finally {
      await postgres?.stop();
    }
  }
  return lines;
}

interface Step {
  root: string;
  records: number;
  isKept: boolean;
}

async function measureStep(
  options: DatabaseOptions,
  step: Step,
  base: Map<string, number>,
): Promise<ReportLine[]> {
  const filled = await filledOf(options, step);
  await sleep(SETTLE_MS);
  const folder = join(step.root, `served-${options.engine}-${step.records}`);
  mkdirSync(folder, { recursive: true });
  const postmaster = await postmasterOf(options);
  const meter = createMeter(process.pid, postmaster);
  // First, so that the server does not count everything itself while it is measured.
  const totals = await withDatabase(options, (database) => measureTotalsOf(database, meter));
  const addresses = await withDatabase(options, (database) => storedOf(database, filled.addresses));
  const served = { ...filled, addresses };
  const { measured, idleMb, usedMb } = await measureServer(options, served, { folder, postmaster });
  await withDatabase(options, async (database) => {
    for (const [name, spent] of await measureLists(database, meter)) measured.set(name, spent);
    measured.set(
      'cleanup of a preview with its media',
      await measureCleanup(database, meter, { ...filled, folder }),
    );
  });
  // The database knows the keys that lie there.
  if (!step.isKept) rmSync(folder, { recursive: true, force: true });
  const at = { engine: options.engine, records: step.records };
  return [
    ...Array.from(measured, ([name, spent]) => lineOf(name, spent, { at, base })),
    lineOf('totals of everything, counted', totals, { at, base }),
    memoryLine('memory, idle', idleMb, at),
    memoryLine('memory, after look-ups', usedMb, at),
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

async function filledOf(options: DatabaseOptions, { root, records, isKept }: Step): Promise<Filled> {
  const note = join(root, `filled-${options.engine}-${records}.json`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written below
  if (isKept && existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')) as Filled;
  await migrate(options, createLogger({ level: 'silent' }));
  const startedMs = performance.now();
  const filled = await fillScale(options, records);
  console.log(
    `${options.engine}: ${records} key records filled in ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
  if (isKept) writeFileSync(note, JSON.stringify(filled));
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
  const before = at.records > BASE && !FREE.has(name) ? base.get(name) : undefined;
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
