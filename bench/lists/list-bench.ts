import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDatabase, type Database, type DatabaseOptions } from '../../src/core/store/db.js';
import { migrate } from '../../src/core/store/migrate.js';
import { createLogger } from '../../src/core/base/logger.js';
import { startTestPostgres } from '../../tests/support/store/databases.js';
import { formatNumber, type ReportLine } from '../support/report.js';

/** A list over a table of a million rows. */
export interface ListBench {
  /** What is listed, such as `previews`. */
  name: string;
  fill(database: Database): Promise<void>;
  /** First pages, each as a client asks for it. */
  pages(database: Database): ReadonlyMap<string, () => Promise<unknown>>;
}

const MARK_MS = 50;
const WARM_UP = 3;
const RUNS = 10;

/** Measures first pages of a list on every engine that is there: CPU of this process, and time. */
export async function benchList(folder: string, bench: ListBench): Promise<ReportLine[]> {
  const lines: ReportLine[] = [];
  const sqlite = join(folder, bench.name);
  mkdirSync(sqlite, { recursive: true });
  const path = join(sqlite, 'lists.db');
  lines.push(...(await benchEngine({ engine: 'sqlite', path, synchronous: 'normal' }, bench)));
  const postgres = await startTestPostgres(tmpdir());
  if (postgres === null) return lines;
  try {
    chmodSync(folder, 0o755);
    const options = { engine: 'postgresql', url: postgres.url, maxConnections: 3 } as const;
    lines.push(...(await benchEngine(options, bench)));
  } finally {
    await postgres.stop();
  }
  return lines;
}

async function benchEngine(options: DatabaseOptions, bench: ListBench): Promise<ReportLine[]> {
  const logger = createLogger({ level: 'silent' });
  await migrate(options, logger);
  const database = await openDatabase(options, logger);
  try {
    await bench.fill(database);
    const lines: ReportLine[] = [];
    for (const [name, page] of bench.pages(database)) {
      lines.push(await measure(`${bench.name} on ${options.engine}: ${name}`, page));
    }
    return lines;
  } finally {
    await database.close();
  }
}

async function measure(name: string, page: () => Promise<unknown>): Promise<ReportLine> {
  for (let run = 0; run < WARM_UP; run += 1) await page();
  const cpu: number[] = [];
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage();
    const startedMs = performance.now();
    await page();
    times.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  const cpuMs = median(cpu);
  const ms = median(times);
  return {
    case: name,
    figures: { cpuMs, ms },
    text: `${formatNumber(cpuMs)} ms CPU, ${formatNumber(ms)} ms`,
    mark: `at most ${MARK_MS} ms CPU`,
    reached: cpuMs <= MARK_MS,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
