import { createHash } from 'node:crypto';

import { SECOND_MS, type Clock } from '../../base/clock.js';
import { clockWrong } from '../../base/errors/api-error.js';
import type { JudgedClock } from '../../base/judged-clock.js';
import type { Logger } from '../../base/logger.js';
import { ReachedBounds } from '../../base/places/reached-bounds.js';
import { verifyNote, writeSignatureLine } from '../log/notes/signed-note.js';
import type { VerifierKey } from '../log/notes/verifier-key.js';
import type { WitnessKey } from '../log/notes/witness-key.js';
import { verifyConsistency } from '../log/tree/consistency.js';
import { readOffer, type OfferedCheckpoint } from './offered-checkpoint.js';
import type { WitnessedLog, WitnessedLogStore } from './witnessed-log-store.js';

/** A log that is cosigned here, and the keys it signs with. */
export interface KnownLog {
  origin: string;
  keys: readonly VerifierKey[];
}

/** What it is built from. */
export interface CheckpointWitnessOptions {
  key: WitnessKey;
  logs: readonly KnownLog[];
  store: WitnessedLogStore;
  clock: Clock;
  /** A cosignature states the time. */
  judgedClock: Pick<JudgedClock, 'error'>;
  logger: Logger;
  onOutcome(outcome: WitnessOutcome): void;
}

/**
 * What came of an offer: `stale` is from another size than the last one we cosigned, `inconsistent` no continuation of
 * that, and `split_view` of the same size with another root.
 */
export type WitnessOutcome =
  | 'cosigned'
  | 'malformed'
  | 'unknown_origin'
  | 'untrusted'
  | 'size_below_old'
  | 'stale'
  | 'inconsistent'
  | 'split_view';

/** The answer to an offer. */
export type WitnessVerdict =
  | { outcome: 'cosigned'; line: string }
  | { outcome: 'stale'; size: number }
  | { outcome: Exclude<WitnessOutcome, 'cosigned' | 'stale'> };

/** A verdict, and what it was compared with. */
interface Judged {
  known: WitnessedLog;
  verdict: WitnessVerdict;
}

type Contradiction = 'inconsistent' | 'split_view';

/** A checkpoint that is offered again before that gets the cosignature it has: it costs a look, and no writing. */
const SAME_COSIGNATURE_MS = 10 * SECOND_MS;

/** Cosigns checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. */
export class CheckpointWitness {
  readonly #logs: ReadonlyMap<string, KnownLog>;
  readonly #origins: ReadonlyMap<string, string>;
  /** What logs were caught at within the last hour. */
  readonly contradictions: ReachedBounds<Contradiction>;

  constructor(private readonly options: CheckpointWitnessOptions) {
    const { logs, clock, logger } = options;
    this.#logs = new Map(logs.map((log) => [log.origin, log]));
    this.#origins = new Map(logs.map(({ origin }) => [hashOf(origin), origin]));
    this.contradictions = new ReachedBounds({
      clock,
      log: ({ bound, ...line }) =>
        logger.warn({ outcome: bound, ...line }, 'a checkpoint contradicts what was cosigned'),
    });
  }

  get verifierKey(): string {
    return this.options.key.verifierKey;
  }

  get origins(): string[] {
    return [...this.#logs.keys()];
  }

  /** Answers a request to cosign. */
  async addCheckpoint(body: Buffer): Promise<WitnessVerdict> {
    const verdict = await this.#judge(readOffer(body));
    this.options.onOutcome(verdict.outcome);
    return verdict;
  }

  /** The last checkpoint cosigned of the log whose origin has this SHA-256 (hex); `null`: none. */
  async findCheckpoint(originSha256: string): Promise<string | null> {
    const origin = this.#origins.get(originSha256);
    if (origin === undefined) return null;
    const { checkpoint } = await this.options.store.read(origin);
    return checkpoint === '' ? null : checkpoint;
  }

  async #judge(offer: OfferedCheckpoint | null): Promise<WitnessVerdict> {
    if (offer === null) return { outcome: 'malformed' };
    const log = this.#logs.get(offer.origin);
    if (log === undefined) return { outcome: 'unknown_origin' };
    const signatures = verifyNote(offer.note, log.keys);
    if (signatures === null) return { outcome: 'untrusted' };
    if (offer.oldSize > offer.size) return { outcome: 'size_below_old' };
    const trusted = { ...offer, note: { ...offer.note, signatures } };
    const known = await this.options.store.read(offer.origin);
    const early = this.#compare(trusted, known) ?? this.#cosignedLately(trusted, known);
    const judged = early === null ? await this.#cosign(trusted) : { known, verdict: early };
    await this.#tellContradiction(trusted, judged);
    return judged.verdict;
  }

  /** What speaks against a cosignature; `null`: nothing. */
  #compare(offer: OfferedCheckpoint, known: WitnessedLog): WitnessVerdict | null {
    if (offer.oldSize !== known.size) return { outcome: 'stale', size: known.size };
    if (offer.size === known.size && !offer.root.equals(known.root)) return { outcome: 'split_view' };
    return verifyConsistency(known, offer, offer.proof) ? null : { outcome: 'inconsistent' };
  }

  #cosignedLately(offer: OfferedCheckpoint, known: WitnessedLog): WitnessVerdict | null {
    const ageMs = this.options.clock.now() - known.cosignedTs;
    const isSame = known.checkpoint.startsWith(`${offer.note.text}\n`);
    if (!isSame || ageMs < 0 || ageMs >= SAME_COSIGNATURE_MS) return null;
    return { outcome: 'cosigned', line: lastLineOf(known.checkpoint) };
  }

  /** Compares again, and keeps the checkpoint, in one step. Rejects with 503 while the clock cannot be right. */
  async #cosign(offer: OfferedCheckpoint): Promise<Judged> {
    const { key, store, clock, judgedClock } = this.options;
    if (judgedClock.error !== null) throw clockWrong();
    return store.update<Judged>(offer.origin, (known) => {
      const against = this.#compare(offer, known);
      if (against !== null) return { result: { known, verdict: against }, replacement: null };
      const seconds = Math.floor(clock.now() / SECOND_MS);
      const line = key.cosign(offer.note.text, seconds);
      const { size, root } = offer;
      const checkpoint = `${signedText(offer)}${line}`;
      const replacement = { ...known, size, root, checkpoint, cosignedTs: seconds * SECOND_MS };
      return { result: { known, verdict: { outcome: 'cosigned', line } }, replacement };
    });
  }

  /** Two roots of one size prove that the log lies, from whatever size it was offered; that is kept. */
  async #tellContradiction(offer: OfferedCheckpoint, { known, verdict }: Judged): Promise<void> {
    const { origin, size, note } = offer;
    const { outcome } = verdict;
    const isSplit = size === known.size && !offer.root.equals(known.root);
    if (!isSplit && outcome !== 'inconsistent' && outcome !== 'split_view') return;
    this.contradictions.note(isSplit ? 'split_view' : 'inconsistent', { origin, size, known: known.size });
    if (!isSplit) return;
    const { store, clock, logger } = this.options;
    if (!(await store.keepConflict(origin, signedText(offer), clock.now()))) return;
    const about = { origin, size, cosigned: known.checkpoint, contradiction: note.text };
    logger.error(about, 'a log has signed two different histories');
  }
}

/** The checkpoint with those signatures that were verified. */
function signedText({ note }: OfferedCheckpoint): string {
  return `${note.text}\n${note.signatures.map(writeSignatureLine).join('')}`;
}

function lastLineOf(note: string): string {
  return note.slice(note.lastIndexOf('\n', note.length - 2) + 1);
}

function hashOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
