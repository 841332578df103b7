import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import type { Database } from '../../../store/db.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { CHANNELS, TEST, type Channel, type OutboxItem, type OutboxStore } from './outbox-store.js';

/** What an attempt came to. */
export interface Attempted {
  outcome: 'done' | 'retry' | 'failed';
  /** One sentence, for operators. */
  message: string;
  /** Whether the destination as a whole does not work, so that nothing else for it need be tried now. */
  isAway?: boolean;
  /** What is stored when that was the last attempt, with its result in one transaction. */
  save?: (runner: SqlRunner) => Promise<void>;
}

/** How items of one channel leave. A rejection is a retry. */
export interface Carrier {
  carry(item: OutboxItem, signal: AbortSignal): Promise<Attempted>;
  /** Age at which an item is given up. */
  giveUpAfterMs: number;
}

export interface OutboxSenderOptions {
  store: OutboxStore;
  database: Database;
  clock: Clock;
  logger: Logger;
  carriers: Readonly<Record<Channel, Carrier>>;
  /** Setting alerts.max_concurrent. */
  maxConcurrent: number;
  /** Setting alerts.timeout: every carrier ends by then. */
  timeoutMs: number;
  firstRetryMs: number;
  longestRetryMs: number;
  maxWaiting: number;
  onAttempt: (channel: Channel, outcome: Attempted['outcome']) => void;
}

/** An item taken by a process that died is taken again after that. */
const LEASE_SLACK_MS = 10_000;
/** Rounds of one run; what is left is due at the next. */
const MAX_ROUNDS = 100;

/** Sends what waits in the outbox: at least once, in order per destination and subject, by one instance at a time. */
export class OutboxSender {
  readonly #stop = new AbortController();
  /** Destinations that do not work, by channel and name. */
  readonly #away = new Map<string, { untilTs: number; failures: number }>();

  constructor(private readonly options: OutboxSenderOptions) {}

  /** One run. Rejects when the store is away. */
  async run(): Promise<void> {
    const { store, clock, logger, maxWaiting, maxConcurrent } = this.options;
    for (const channel of CHANNELS) {
      const items = await store.dropBeyond(channel, maxWaiting, clock.now());
      if (items > 0)
        logger.warn({ channel, items }, 'deliveries were given up: alerts.max_waiting is reached');
    }
    for (let round = 0; round < MAX_ROUNDS && !this.#stop.signal.aborted; round += 1) {
      const due = await store.findDue(clock.now(), maxConcurrent);
      if (due.length === 0) return;
      await Promise.all(due.map((item) => this.#attempt(item)));
    }
  }

  /** Ends the attempts under way; what they were about is tried again after the next start. */
  stop(): void {
    this.#stop.abort();
  }

  async #attempt(item: OutboxItem): Promise<void> {
    const { store, clock, carriers, timeoutMs } = this.options;
    const { untilTs = 0 } = this.#away.get(keyOf(item)) ?? {};
    if (untilTs > clock.now() && item.kind !== TEST) return store.holdBack(item, untilTs);
    if (!(await store.take(item, clock.now() + timeoutMs + LEASE_SLACK_MS))) return;
    const carrier = carriers[item.channel];
    const attempted = await carrier.carry(item, this.#stop.signal).catch((error: unknown): Attempted => {
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: 'retry', message, isAway: true };
    });
    await this.#settle(item, this.#judged(item, carrier, attempted));
  }

  /** What has been tried for too long is given up, and a test that fails has told what it was to tell. */
  #judged(item: OutboxItem, carrier: Carrier, attempted: Attempted): Attempted {
    const ageMs = this.options.clock.now() - item.createdTs;
    const isLast = item.kind === TEST || ageMs >= carrier.giveUpAfterMs;
    if (attempted.outcome !== 'retry' || !isLast) return attempted;
    return { ...attempted, outcome: 'failed' };
  }

  async #settle(item: OutboxItem, attempted: Attempted): Promise<void> {
    const { store, database, clock, logger, onAttempt } = this.options;
    const { outcome, message, isAway = false, save } = attempted;
    const ts = clock.now();
    const nextTryTs = this.#nextTryTs(item, ts, isAway && outcome === 'retry');
    const state = outcome === 'retry' ? 'waiting' : outcome;
    await database.plain.transaction(async (runner) => {
      await store.settle(runner, item.id, { state, message, ts, nextTryTs });
      if (state !== 'waiting') await save?.(runner);
    });
    onAttempt(item.channel, outcome);
    if (outcome === 'done') return;
    const { channel, destination, subject, kind } = item;
    const line = { channel, destination, subject, kind, attempts: item.attempts + 1, detail: message };
    logger[outcome === 'failed' ? 'warn' : 'info'](
      line,
      `delivery ${outcome === 'failed' ? 'given up' : 'failed'}`,
    );
    if (isAway && outcome === 'retry') await store.holdBack(item, nextTryTs);
  }

  /**
   * The pause doubles with each attempt of an item, and for a destination that is away with each of its failures;
   * attempts that were under way together are one.
   */
  #nextTryTs(item: OutboxItem, ts: number, isAway: boolean): number {
    const { firstRetryMs, longestRetryMs } = this.options;
    const { untilTs = 0, failures = 0 } = isAway ? (this.#away.get(keyOf(item)) ?? {}) : {};
    if (untilTs > ts) return untilTs;
    const doublings = Math.min(30, Math.max(item.attempts, failures));
    const nextTryTs = ts + Math.min(longestRetryMs, firstRetryMs * 2 ** doublings);
    if (isAway) this.#away.set(keyOf(item), { untilTs: nextTryTs, failures: failures + 1 });
    else this.#away.delete(keyOf(item));
    return nextTryTs;
  }
}

function keyOf({ channel, destination }: OutboxItem): string {
  return `${channel} ${destination}`;
}
