import type { LogStore } from '../../notary/log/log-store.js';
import type { LogKey } from '../../notary/log/notes/log-key.js';
import type { PublishedLog } from '../../notary/log/published-log.js';
import type { CheckpointOffers, WitnessStanding } from '../../notary/log/witnesses/checkpoint-offers.js';

/** What it is built from. */
export interface LogStatusOptions {
  key: LogKey;
  log: PublishedLog;
  offers: CheckpointOffers;
  store: LogStore;
  maximumMergeDelayMs: number;
}

/** A witness and how offers to it went; times are POSIX ms. */
export interface LogWitnessView extends Pick<
  WitnessStanding,
  'cosignedTs' | 'failures' | 'failedTs' | 'error'
> {
  name: string;
  verifierKey: string;
  url: string;
  /** Of the last checkpoint it cosigned; `null`: none. */
  cosignedSize: number | null;
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
  witnesses: LogWitnessView[];
}

/** How many waiting entries are counted. */
const MAX_COUNTED = 100_000;
const SHOWN_DAYS = 30;

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
      witnesses: offers.standings.map(viewOf),
    };
  }

  /** A tlog-proof of what the log last said of a stored record; `null`: nothing yet. */
  async proveRecord(recordId: number): Promise<string | null> {
    const sha256 = await this.options.store.findRecordHash(recordId);
    return sha256 === null ? null : this.options.log.proveRecord(sha256);
  }

  /** Entries that wait for their place, 100,000 at most. */
  countWaiting(): Promise<number> {
    return this.options.store.countWaiting(MAX_COUNTED);
  }

  /** Entries by the day they were signed on, latest first: the last days on which there were any. */
  growth(): Promise<{ dayTs: number; entries: number }[]> {
    return this.options.store.readDays(SHOWN_DAYS);
  }
}

function viewOf({ witness, ...standing }: WitnessStanding): LogWitnessView {
  const { cosignedSize, cosignedTs, failures, failedTs, error } = standing;
  const { name, text: verifierKey } = witness.key;
  const size = cosignedSize === 0 ? null : cosignedSize;
  return {
    name,
    verifierKey,
    url: witness.url.href,
    cosignedSize: size,
    cosignedTs,
    failures,
    failedTs,
    error,
  };
}
