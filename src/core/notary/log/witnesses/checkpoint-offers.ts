import { MINUTE_MS, SECOND_MS, type Clock } from '../../../base/clock.js';
import { Deadline } from '../../../base/deadline.js';
import { ApiError } from '../../../base/errors/api-error.js';
import type { Logger } from '../../../base/logger.js';
import { isStoreError } from '../../../store/store-errors.js';
import type { PublishedLog } from '../published-log.js';
import { whyContradicted } from './known-checkpoint.js';
import {
  WitnessRefusal,
  offerCheckpoint,
  type Offer,
  type Witness,
  type WitnessAnswer,
} from './witness-client.js';
import type { WitnessState, WitnessStore } from './witness-store.js';

/** What it is built from. */
export interface CheckpointOffersOptions {
  log: PublishedLog;
  store: WitnessStore;
  witnesses: readonly Witness[];
  /** Cosignatures that make a checkpoint a witnessed one. */
  quorum: number;
  /** Time for one offer, the second question after a wrong size included. */
  timeoutMs: number;
  clock: Clock;
  logger: Logger;
  onOutcome(outcome: OfferOutcome): void;
}

/** How an offer ended. */
export type OfferOutcome = 'cosigned' | 'refused' | 'failed';

/** A witness and how offers to it went. */
export interface WitnessStanding extends WitnessState {
  witness: Witness;
}

/** Beyond its time, for what is written afterwards. */
const CLAIM_SPARE_MS = 5 * SECOND_MS;
const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
const MAX_DOUBLINGS = 20;
const UNKNOWN: WitnessState = {
  cosignedSize: 0,
  cosignedTs: null,
  nextOfferTs: 0,
  failures: 0,
  failedTs: null,
  error: null,
};

/**
 * Offers the last checkpoint to each witness that has not cosigned it: one offer at a time to each, of whatever
 * instance, and none waits for another's.
 */
export class CheckpointOffers {
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #states = new Map<string, WitnessState>();
  /** Since when there is something to be witnessed, or the last witnessed checkpoint is the last one. */
  #unwitnessed: { sinceTs: number | null; witnessedSize: number } = { sinceTs: null, witnessedSize: 0 };

  constructor(private readonly options: CheckpointOffersOptions) {}

  /** As of the last run. */
  get standings(): WitnessStanding[] {
    const { witnesses } = this.options;
    return witnesses.map((witness) => ({ witness, ...(this.#states.get(witness.key.text) ?? UNKNOWN) }));
  }

  /** How long there have been entries that no witnessed checkpoint covers, ms; 0: there are none, or no witnesses. */
  get unwitnessedMs(): number {
    const { sinceTs } = this.#unwitnessed;
    return sinceTs === null ? 0 : Math.max(0, this.options.clock.now() - sinceTs);
  }

  get quorum(): number {
    return this.options.quorum;
  }

  /** Begins the offers that are due, and waits for none. Rejects when the store is away. */
  async run(): Promise<void> {
    const { log, store, clock, timeoutMs } = this.options;
    if (this.options.witnesses.length === 0) return;
    this.#states = await store.read();
    const { size } = log.signed;
    this.#watch(size, log.witnessed?.size ?? 0);
    if (log.damage !== null || size === 0) return;
    for (const { witness, ...state } of this.standings) {
      const name = witness.key.text;
      const untilTs = clock.now() + timeoutMs + CLAIM_SPARE_MS;
      if (this.#running.has(name) || state.cosignedSize >= size || !this.#isDue(state)) continue;
      if (!(await store.claim(name, state, untilTs))) continue;
      const offering = this.#offer(witness, state).finally(() => this.#running.delete(name));
      this.#running.set(name, offering);
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  #watch(size: number, witnessedSize: number): void {
    const { sinceTs, witnessedSize: before } = this.#unwitnessed;
    const isSame = sinceTs !== null && witnessedSize === before;
    const nextTs = witnessedSize >= size ? null : isSame ? sinceTs : this.options.clock.now();
    this.#unwitnessed = { sinceTs: nextTs, witnessedSize };
  }

  /** A time that no pause reaches was written before the clock was set back. */
  #isDue({ nextOfferTs }: WitnessState): boolean {
    const inMs = nextOfferTs - this.options.clock.now();
    return inMs <= 0 || inMs > LONGEST_PAUSE_MS + this.options.timeoutMs + CLAIM_SPARE_MS;
  }

  /** Never rejects. */
  async #offer(witness: Witness, state: WitnessState): Promise<void> {
    const { logger } = this.options;
    const about = { witness: witness.key.name, url: witness.url.href };
    try {
      const failure = await this.#tryOffer(witness, state);
      if (failure === null) {
        this.options.onOutcome('cosigned');
        if (state.failures > 0) logger.info(about, 'a witness cosigns the log again');
        return;
      }
      const { error, isRefusal } = failure;
      this.options.onOutcome(isRefusal ? 'refused' : 'failed');
      // The first failure says it all; the next ones are due again and again.
      logger[state.failures === 0 ? 'warn' : 'debug'](
        { ...about, error },
        'a witness did not cosign the log',
      );
    } catch (error) {
      const isAway = isStoreError(error);
      logger[isAway ? 'debug' : 'error']({ ...about, err: error }, 'an offer to a witness was not kept');
    }
  }

  /** Offers the last checkpoint and keeps what came of it; `null`: a cosignature. */
  async #tryOffer(witness: Witness, state: WitnessState): Promise<OfferFailure | null> {
    const { store, clock, quorum, log } = this.options;
    const { size, checkpoint } = log.signed;
    const verifierKey = witness.key.text;
    try {
      const cosigned = await this.#negotiate(witness, { size, checkpoint, oldSize: state.cosignedSize });
      await store.keep({ verifierKey, size, checkpoint, ...cosigned }, quorum);
      return null;
    } catch (error) {
      if (isStoreError(error)) throw error;
      const isRefusal = error instanceof WitnessRefusal;
      const failure = { error: isRefusal ? error.message : describe(error), isRefusal };
      const failedTs = clock.now();
      // What we have ended ourselves is no failure, and may be tried again at once.
      if (this.#closing.signal.aborted) await store.release(verifierKey);
      else
        await store.fail(verifierKey, {
          ...failure,
          failedTs,
          nextOfferTs: failedTs + pauseMs(state.failures),
        });
      return failure;
    }
  }

  /** A second time from the size that the witness names; that of a first offer is what we remember of it. */
  async #negotiate(witness: Witness, checkpoint: OfferedCheckpoint): Promise<CosignedAnswer> {
    const deadline = new Deadline(this.options.timeoutMs, this.#closing.signal);
    const ask = (oldSize: number) => this.#ask(witness, { ...checkpoint, oldSize }, deadline);
    try {
      const first = await ask(checkpoint.oldSize);
      if ('line' in first) return first;
      if (first.size > checkpoint.size) {
        const known = `it has cosigned ${first.size} entries of our log, which has ${checkpoint.size}`;
        throw new WitnessRefusal(`${known}: our database is older than what was published`);
      }
      const second = await ask(first.size);
      if ('line' in second) return second;
      throw new WitnessRefusal('it names another size at each question');
    } catch (error) {
      if (error instanceof WitnessRefusal) await this.#compare(witness, deadline);
      throw error;
    } finally {
      deadline.close();
    }
  }

  /** A log that is not the one we signed, such as a restored backup, must not be signed any further. */
  async #compare(witness: Witness, deadline: Deadline): Promise<void> {
    const { log } = this.options;
    const why = await whyContradicted(witness, log, deadline).catch((error: unknown) => {
      if (isStoreError(error)) throw error;
      return null;
    });
    if (why !== null) log.stop(why);
  }

  async #ask(
    witness: Witness,
    { size, checkpoint, oldSize }: OfferedCheckpoint,
    deadline: Deadline,
  ): Promise<WitnessAnswer> {
    const proof = await this.options.log.proveConsistency(oldSize, size);
    const offer: Offer = { oldSize, proof, checkpoint };
    return offerCheckpoint(witness, offer, { nowTs: this.options.clock.now(), deadline });
  }
}

interface OfferFailure {
  error: string;
  isRefusal: boolean;
}

type CosignedAnswer = Extract<WitnessAnswer, { line: string }>;

/** The last checkpoint, and the size it is offered from. */
interface OfferedCheckpoint {
  size: number;
  checkpoint: string;
  oldSize: number;
}

function pauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, MAX_DOUBLINGS));
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return 'the offer could not be made';
  return error.detail === null ? error.message : `${error.message}: ${error.detail}`;
}
