import { setTimeout } from 'node:timers/promises';
import { UnavailableError, readCheckpoint, verifyConsistency } from '@vidimus/tlog';
import {
  WitnessRefusal,
  offerCheckpoint,
  readKnownCheckpoint,
  type Witness,
  type OfferAnswer,
} from '@vidimus/tlog/offer';
import { z } from 'zod';

import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { PublishedLog } from './published-log.js';
import type { Database, Db, DbTransaction } from '../../store/db.js';

/** A cosignature of a checkpoint of ours. */
export interface NewCosignature {
  verifierKey: string;
  size: number;
  /** The checkpoint it is below, as signed by us. */
  checkpoint: string;
  line: string;
}

/** Cosignatures of so many checkpoints are kept; slower witnesses do not count. */
const KEPT_CHECKPOINTS = 20;

/** Cosignatures by the configured witnesses; those of other keys are neither read nor counted. */
export class CosignatureStore {
  constructor(
    private readonly database: Database,
    private readonly verifierKeys: readonly string[],
  ) {}

  /** Lines below the checkpoint of this size. */
  async readLines(size: number): Promise<string> {
    return this.#linesOf(await this.#read(this.database.client), size).join('');
  }

  /** Size of the last checkpoint that a witness has cosigned; 0: none. */
  async readSize(verifierKey: string): Promise<number> {
    const cosigned = await this.#read(this.database.client);
    const sizes = [...cosigned].flatMap(([size, lines]) => (lines[verifierKey] === undefined ? [] : size));
    return Math.max(0, ...sizes);
  }

  /** Stores a cosignature; with those of `quorum` witnesses the checkpoint is a witnessed one. */
  async keep({ verifierKey, size, checkpoint, line }: NewCosignature, quorum: number): Promise<void> {
    await this.database.client.$transaction(async (tx) => {
      // Two cosignatures that are stored at once must see each other: writing to this row locks it.
      await tx.logState.updateMany({ where: { id: 1 }, data: { id: 1 } });
      const cosigned = await this.#read(tx);
      cosigned.set(size, { ...cosigned.get(size), [verifierKey]: line });
      const kept = [...cosigned].toSorted(([a], [b]) => b - a).slice(0, KEPT_CHECKPOINTS);
      const cosignatures = Object.fromEntries(kept);
      await tx.logState.updateMany({ where: { id: 1 }, data: { cosignatures } });
      const lines = this.#linesOf(cosigned, size);
      if (lines.length < quorum) return;
      const witnessed = checkpoint + lines.join('');
      const where = { id: 1, witnessedSize: { lte: size } };
      await tx.logState.updateMany({ where, data: { witnessed, witnessedSize: size } });
    });
  }

  async #read({ logState }: Db | DbTransaction): Promise<Cosigned> {
    const row = await logState.findFirst({ where: { id: 1 }, select: { cosignatures: true } });
    const stored = z.record(z.string(), z.record(z.string(), z.string())).parse(row?.cosignatures ?? {});
    return new Map(Object.entries(stored).map(([size, lines]) => [Number(size), lines]));
  }

  #linesOf(cosigned: Cosigned, size: number): string[] {
    const lines = cosigned.get(size) ?? {};
    return this.verifierKeys.toSorted().flatMap((key) => lines[key] ?? []);
  }
}

/** Lines by verifier key, by size of the checkpoint. */
type Cosigned = Map<number, Readonly<Record<string, string>>>;

export interface CheckpointOffersOptions {
  log: PublishedLog;
  store: CosignatureStore;
  witnesses: readonly Witness[];
  /** Cosignatures that make a checkpoint a witnessed one. */
  quorum: number;
  /** After a first failure; doubled after each further one. */
  firstPauseMs?: number;
  clock: Clock;
  logger: Logger;
  onOutcome: (outcome: OfferOutcome) => void;
}

/** How an offer ended. */
export type OfferOutcome = 'cosigned' | 'refused' | 'failed';

/** A witness and how this process's offers to it went. Times are POSIX ms. */
export interface WitnessStatus {
  readonly witness: Witness;
  /** Of the last checkpoint it cosigned; `null`: none. */
  cosigned: { size: number; ts: number } | null;
  /** Failures in a row. */
  failures: number;
  /** The last failure; kept after a cosignature. */
  failed: { error: string; ts: number } | null;
}

const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
const MAX_ERROR_LENGTH = 300;
/** For one offer; a slow witness holds up no other. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** Offers the last checkpoint to each witness until that has cosigned it. No witness waits for another. */
export class CheckpointOffers {
  readonly statuses: readonly WitnessStatus[];
  readonly #running = new Map<WitnessStatus, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #timing = { timeoutMs: TIMEOUT_MS, signal: this.#closing.signal };
  /** Since when there have been entries that no witnessed checkpoint covers; `null`: there are none. */
  #unwitnessed: { sinceTs: number; witnessedSize: number } | null = null;

  constructor(private readonly options: CheckpointOffersOptions) {
    const unknown = { cosigned: null, failures: 0, failed: null };
    this.statuses = options.witnesses.map((witness) => ({ witness, ...unknown }));
  }

  get quorum(): number {
    return this.options.quorum;
  }

  /** How long there have been entries that no witnessed checkpoint covers, ms; 0: there are none, or no witnesses. */
  get unwitnessedMs(): number {
    return this.#unwitnessed === null ? 0 : Math.max(0, this.options.clock.now() - this.#unwitnessed.sinceTs);
  }

  /** Call it when the log has a new checkpoint. */
  wake(): void {
    this.#measure();
    for (const status of this.statuses) {
      if (this.#running.has(status)) continue;
      const running = this.#serve(status).finally(() => this.#running.delete(status));
      this.#running.set(status, running);
    }
  }

  /** Cancels running offers. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  #measure(): void {
    const { log, clock, witnesses } = this.options;
    const witnessedSize = log.witnessed?.size ?? 0;
    if (witnesses.length === 0 || witnessedSize >= log.signed.size) this.#unwitnessed = null;
    else if (this.#unwitnessed?.witnessedSize !== witnessedSize)
      this.#unwitnessed = { sinceTs: clock.now(), witnessedSize };
  }

  /** Offers until the witness has cosigned the last checkpoint. Never rejects. */
  async #serve(status: WitnessStatus): Promise<void> {
    const { log, store, logger, firstPauseMs = FIRST_PAUSE_MS } = this.options;
    const { signal } = this.#closing;
    try {
      while (!signal.aborted && log.damage === null) {
        // For us or another instance.
        const stored = await store.readSize(status.witness.key.text);
        const cosignedSize = Math.max(stored, status.cosigned?.size ?? 0);
        if (cosignedSize >= log.signed.size) return;
        const isCosigned = await this.#offer(status, cosignedSize);
        if (isCosigned) await log.refresh();
        this.#measure();
        if (isCosigned) continue;
        const pauseMs = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** Math.min(status.failures - 1, 10));
        await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    } catch (error) {
      // The next checkpoint brings the next try.
      logger.warn({ err: error }, 'database error during an offer to a witness');
    }
  }

  /** Resolves to whether there is a cosignature. */
  async #offer(status: WitnessStatus, oldSize: number): Promise<boolean> {
    const { log, store, clock, quorum, logger, onOutcome } = this.options;
    const { witness } = status;
    const { size, checkpoint } = log.signed;
    const about = { witness: witness.key.name, url: witness.url.href };
    try {
      const { line, cosignedTs } = await this.#negotiate(witness, oldSize);
      await store.keep({ verifierKey: witness.key.text, size, checkpoint, line }, quorum);
      status.cosigned = { size, ts: cosignedTs };
      if (status.failures > 0) logger.info(about, 'a witness cosigns the log again');
      status.failures = 0;
      onOutcome('cosigned');
      return true;
    } catch (error) {
      const isRefusal = error instanceof WitnessRefusal;
      if (!isRefusal && !(error instanceof UnavailableError)) throw error;
      if (isRefusal) await this.#stopIfContradicted(witness);
      if (this.#closing.signal.aborted) return false;
      status.failed = { error: error.message.slice(0, MAX_ERROR_LENGTH), ts: clock.now() };
      const line = { ...about, error: error.message };
      logger[status.failures === 0 ? 'warn' : 'debug'](line, 'a witness did not cosign the log');
      status.failures += 1;
      onOutcome(isRefusal ? 'refused' : 'failed');
      return false;
    }
  }

  /** From the last size that we know of, and a second time from the one that the witness names. */
  async #negotiate(witness: Witness, oldSize: number): Promise<Extract<OfferAnswer, { line: string }>> {
    const { log, clock } = this.options;
    const { size, checkpoint } = log.signed;
    let from = oldSize;
    for (let round = 0; round < 2; round += 1) {
      const proof = await log.proveConsistency(from, size);
      const timing = { nowTs: clock.now(), ...this.#timing };
      const answer = await offerCheckpoint(witness, { oldSize: from, proof, checkpoint }, timing);
      if ('line' in answer) return answer;
      from = answer.size;
      const known = `it has cosigned ${from} entries, but our log has ${size}`;
      if (from > size) throw new WitnessRefusal(`${known}: our database is older than what was published`);
    }
    throw new WitnessRefusal('it reports a different size each time');
  }

  /**
   * Stops the log when the witness has a checkpoint that bears our signature, which it cannot forge, and that the
   * stored tree does not continue, such as after a backup was restored.
   */
  async #stopIfContradicted(witness: Witness): Promise<void> {
    const { log } = this.options;
    const known = await readKnownCheckpoint(witness, log.verifierKey, this.#timing).catch(() => null);
    if (known === null) return;
    // Another instance may have signed it a moment ago.
    const ours = readCheckpoint((await log.refresh()).checkpoint);
    if (ours === null || log.damage !== null) return;
    const has = `${witness.key.name} has a checkpoint of ${known.size} entries with our signature`;
    if (known.size > ours.size) return log.stop(`${has}, but the database has ${ours.size}`);
    const proof = await log.proveConsistency(known.size, ours.size);
    if (!verifyConsistency(known, ours, proof)) log.stop(`${has}, but the database has other entries`);
  }
}
