import type { LogKey } from '@vidimus/tlog';

import type { CheckpointOffers, WitnessStatus } from '../../notary/log/checkpoint-offers.js';
import type { LogStore } from '../../notary/log/log-store.js';
import type { PublishedLog } from '../../notary/log/published-log.js';

export interface LogStatusOptions {
  key: LogKey;
  log: PublishedLog;
  offers: CheckpointOffers;
  store: LogStore;
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
  unwitnessedMs: number;
  witnesses: readonly WitnessStatus[];
}

/** How many waiting entries are counted. */
const MAX_COUNTED = 100_000;

export class LogStatus {
  constructor(private readonly options: LogStatusOptions) {}

  view(): LogView {
    const { key, log, offers, maximumMergeDelayMs } = this.options;
    return {
      origin: key.origin,
      verifierKey: key.verifierKey,
      size: log.size,
      checkpoint: log.checkpoint,
      signedTs: log.signedTs,
      mergeDelayMs: log.mergeDelayMs,
      maximumMergeDelayMs,
      damage: log.damage,
      quorum: offers.quorum,
      witnessedSize: log.witnessed?.size ?? 0,
      unwitnessedMs: offers.unwitnessedMs,
      witnesses: offers.statuses,
    };
  }

  /** A tlog-proof of what the log last said of a stored record; `null`: nothing yet. */
  async proveRecord(recordId: number): Promise<string | null> {
    const sha256 = await this.options.store.findRecordHash(recordId);
    return sha256 === null ? null : this.options.log.proveRecord(sha256);
  }

  /** Entries that are not in the log yet, 100,000 at most. */
  countWaiting(): Promise<number> {
    return this.options.store.countWaiting(MAX_COUNTED);
  }
}
