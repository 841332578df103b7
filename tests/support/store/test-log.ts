import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { LogKey } from '@vidimus/tlog';

import { createLogger } from '../../../src/core/base/logger.js';
import { PublishedLog } from '../../../src/core/notary/log/published-log.js';
import { Sequencer } from '../../../src/core/notary/log/sequencer.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { ManualClock } from '../manual-clock.js';
import type { TestDatabase } from './databases.js';

/** One instance's log over a database. */
export interface TestLog {
  database: Database;
  log: PublishedLog;
  sequencer: Sequencer;
  close(): Promise<void>;
}

export const LOG_KEY = new LogKey('notary.test/_svc/vidimus/v1/log', Buffer.alloc(32, 9));
const CACHE_BYTES = 1024 * 1024;

/** Opens it as an instance does at its start. */
export async function openTestLog(
  { options }: TestDatabase,
  { clock = new ManualClock(), key = LOG_KEY, cacheBytes = CACHE_BYTES } = {},
): Promise<TestLog> {
  const logger = createLogger({ level: 'silent' });
  const database = await openDatabase(options, logger);
  const log = await PublishedLog.open({ database, clock, logger, key, cacheBytes });
  return {
    database,
    log,
    sequencer: new Sequencer({ database, clock, key, log }),
    close: () => database.close(),
  };
}

/** Entries as they wait for the log; `from` numbers them. */
export const madeEntries = (from: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`{"entry":${from + index}}`));

/** Puts entries into the queue, in one transaction. */
export async function queueEntries(
  { client }: Database,
  entries: readonly Buffer[],
  queuedTs = 0,
): Promise<void> {
  const data = entries.map((entry) => ({
    recordSha256: new Uint8Array(createHash('sha256').update(entry).digest()),
    entry: new Uint8Array(entry),
    queuedTs: BigInt(queuedTs),
  }));
  await client.logQueue.createMany({ data });
}

/** Runs the sequencer until the log has so many entries. */
export async function growTo({ sequencer, log }: TestLog, size: number): Promise<void> {
  while (log.size < size) {
    const before = log.size;
    await sequencer.run();
    if (log.size === before) throw new Error(`the log stays at ${before} entries: ${log.damage}`);
  }
}
