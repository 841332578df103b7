import type { Database } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';
import { Batcher } from '../../base/batcher.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { storableText } from '../../base/text/strings.js';
import { hostColumns } from '../../base/text/url.js';

export const HIT_STAGES = ['target', 'redirect', 'oembed', 'image'] as const;
export type HitStage = (typeof HIT_STAGES)[number];

export interface BlacklistHit {
  ts: number;
  url: string;
  stage: HitStage;
  rule: string;
  /** The refused network address; `null` when a URL rule refused. */
  address: string | null;
  userId: string | null;
  requestId: string;
}

const GATHER_MS = 500;
/** More hits than this between two writes are counted in one log line, not stored. */
const MAX_WAITING = 500;
const MAX_URL_LENGTH = 4096;
const MAX_ROWS = 100_000;

/** Refused addresses, for operators. A client that requests them in a loop costs one write every half second. */
export class BlacklistHitStore {
  /** Hits since the start of the process, those not stored included. */
  recorded = 0;
  #waiting = 0;
  #lost = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #batcher = new Batcher<BlacklistHit, void>({
    maxItems: MAX_WAITING,
    gatherMs: GATHER_MS,
    expected: () => Infinity,
    write: (hits) => this.#write(hits),
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  record(hit: Omit<BlacklistHit, 'ts'>): void {
    this.recorded += 1;
    if (this.#waiting >= MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting += 1;
    this.#last = this.#batcher.add({ ...hit, ts: this.clock.now() });
  }

  /** Resolves when all of them are stored. */
  async flush(): Promise<void> {
    await this.#last;
  }

  /** Deletes at most `limit` hits from before a time; resolves to how many. */
  async prune(beforeTs: number, limit: number): Promise<number> {
    const where = { ts: { lt: BigInt(beforeTs) } };
    return (await this.database.client.blacklistHit.deleteMany({ where, limit })).count;
  }

  /** Row ids grow by one, so the newest one tells how many older ones are too many. */
  async #dropSurplus(): Promise<void> {
    const { blacklistHit } = this.database.client;
    const newest = await blacklistHit.findFirst({ orderBy: { id: 'desc' }, select: { id: true } });
    if (newest === null || newest.id <= MAX_ROWS) return;
    await blacklistHit.deleteMany({ where: { id: { lte: newest.id - MAX_ROWS } } });
  }

  async #write(hits: readonly BlacklistHit[]): Promise<void[]> {
    if (this.#lost > 0)
      this.logger.warn({ lost: this.#lost }, 'too many refused URLs to store; some were dropped');
    this.#lost = 0;
    try {
      await insertRows(this.database.client, { table: 'blacklist_hit' }, hits.map(toRow));
      await this.#dropSurplus();
    } catch (error) {
      this.logger.error({ err: error, hits: hits.length }, 'refused addresses could not be stored');
    }
    this.#waiting -= hits.length;
    return hits.map(() => {});
  }
}

function toRow({ ts, url, ...hit }: BlacklistHit) {
  return { ...hit, ts: BigInt(ts), url: storableText(url.slice(0, MAX_URL_LENGTH)), ...hostColumns(url) };
}
