import type { LogKey } from '@vidimus/tlog';

import type { CheckpointOffers, WitnessStatus } from '../../notary/log/checkpoint-offers.js';
import type { PublishedLog } from '../../notary/log/published-log.js';
import type { Database } from '../../store/db.js';

export interface LogStatusOptions {
  key: LogKey;
  log: PublishedLog;
  offers: CheckpointOffers;
  database: Database;
  maximumMergeDelayMs: number;
}

/** The log at a glance. */
export interface LogView {
  origin: string;
  verifierKey: string;
  size: number;
  /** As served. */
  checkpoint: string;
  signedTs: number;
  mergeDelayMs: number;
  maximumMergeDelayMs: number;
  /** Why the log has been stopped; `null`: it has not. */
  damage: string | null;
  quorum: number;
  /** Entries of the last checkpoint that reached the quorum. */
  witnessedSize: number;
  witnesses: readonly WitnessStatus[];
}

/** How many waiting entries are counted. */
const MAX_COUNTED = 100_000;

export class LogStatus {
  constructor(private readonly options: LogStatusOptions) {}

  view(): LogView {
    const { key, log, offers, maximumMergeDelayMs } = this.options;
    return {
      origin: key.name,
      verifierKey: key.verifierKey,
      size: log.size,
      checkpoint: log.checkpoint,
      signedTs: log.signed.signedTs,
      mergeDelayMs: log.mergeDelayMs,
      maximumMergeDelayMs,
      damage: log.damage,
      quorum: offers.quorum,
      witnessedSize: log.witnessed?.size ?? 0,
      witnesses: offers.statuses,
    };
  }

  /** A tlog-proof of what the log last said of a stored record; `null`: nothing yet. */
  async proveRecord(recordId: number): Promise<string | null> {
    const { database, log } = this.options;
    const where = { id: recordId };
    const record = await database.client.keyRecord.findFirst({ where, select: { sha256: true } });
    return record === null ? null : log.proveRecord(record.sha256);
  }

  /** Entries that are not in the log yet, 100,000 at most. */
  countWaiting(): Promise<number> {
    return this.options.database.client.logQueue.count({ take: MAX_COUNTED });
  }
}
