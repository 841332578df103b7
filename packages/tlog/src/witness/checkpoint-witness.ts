import { type Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

import type { WitnessKey } from '../notes/note-key.js';
import { verifyNote, writeSignatureLine, parseNote, type SignedNote } from '../notes/signed-note.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import { verifyConsistency } from '../tree/proofs.js';
import type { CosignedLog, WitnessFolder } from './witness-folder.js';
import { decodeBase64 } from '../base64.js';
import { readCheckpoint, readTreeSize, type CheckpointText } from '../notes/checkpoint.js';
import { HASH_BYTES } from '../tree/hashes.js';

/** A checkpoint that a log wants to have cosigned, with what shows that it goes on from an older one. */
export interface OfferedCheckpoint extends CheckpointText {
  oldSize: number;
  proof: readonly Buffer[];
  /** The checkpoint as it was signed. */
  note: SignedNote;
}

/** A tree has at most as many levels. */
const MAX_PROOF_LINES = 63;
const OLD = 'old ';

/** Reads the body of a request (C2SP tlog-witness, "add-checkpoint"); `null`: it is none. Verifies nothing. */
export function readOffer(body: Buffer): OfferedCheckpoint | null {
  if (!isUtf8(body)) return null;
  const text = body.toString();
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(0, end)).split('\n', MAX_PROOF_LINES + 2);
  if (!first.startsWith(OLD) || lines.length > MAX_PROOF_LINES) return null;
  const oldSize = readTreeSize(first.slice(OLD.length));
  const proof = lines.map(decodeBase64).filter((hash) => hash?.length === HASH_BYTES);
  const hashes = proof.filter((hash) => hash !== null);
  const note = parseNote(text.slice(end + 2));
  const checkpoint = note === null ? null : readCheckpoint(note.text);
  if (oldSize === null || hashes.length !== lines.length || note === null || checkpoint === null) return null;
  return { ...checkpoint, oldSize, proof: hashes, note };
}

/** A log that is cosigned here, and the keys it signs with. */
export interface KnownLog {
  origin: string;
  keys: readonly VerifierKey[];
}

export interface CheckpointWitnessOptions {
  key: WitnessKey;
  logs: readonly KnownLog[];
  folder: WitnessFolder;
  /** POSIX ms; a cosignature states the time. */
  now: () => number;
  /** A log has signed two roots of one size. */
  onSplitView: (origin: string, cosigned: string, conflict: string) => void;
}

/**
 * The answer to an offer. `stale`: it starts from another size than the last one we cosigned. `inconsistent`: it does
 * not continue that one. `split_view`: the same size with another root.
 */
export type WitnessVerdict =
  | { outcome: 'cosigned'; line: string }
  | { outcome: 'stale'; size: number }
  | { outcome: WitnessFault };

export type WitnessFault =
  | 'malformed'
  | 'unknown_origin'
  | 'untrusted'
  | 'size_below_old'
  | 'inconsistent'
  | 'split_view';

const SECOND_MS = 1000;
/** A checkpoint that is offered again within this time gets the cosignature it has, without a write. */
const SAME_COSIGNATURE_MS = 10 * SECOND_MS;

/** Cosigns checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. */
export class CheckpointWitness {
  readonly #logs: ReadonlyMap<string, KnownLog>;
  readonly #origins: ReadonlyMap<string, string>;
  /** The last step for each log: comparing and storing is one step at a time. */
  readonly #steps = new Map<string, Promise<unknown>>();

  constructor(private readonly options: CheckpointWitnessOptions) {
    this.#logs = new Map(options.logs.map((log) => [log.origin, log]));
    this.#origins = new Map(options.logs.map(({ origin }) => [sha256Of(origin), origin]));
  }

  /** Answers the body of a request to cosign. A cosignature is durable before it is returned. */
  async addCheckpoint(body: Buffer): Promise<WitnessVerdict> {
    const offer = readOffer(body);
    if (offer === null) return { outcome: 'malformed' };
    const log = this.#logs.get(offer.origin);
    if (log === undefined) return { outcome: 'unknown_origin' };
    const signatures = verifyNote(offer.note, log.keys);
    if (signatures === null) return { outcome: 'untrusted' };
    if (offer.oldSize > offer.size) return { outcome: 'size_below_old' };
    const trusted = { ...offer, note: { ...offer.note, signatures } };
    return this.#inTurn(offer.origin, () => this.#judge(trusted));
  }

  /** The last checkpoint cosigned of the log whose origin has this SHA-256 (hex); `null`: none. */
  async findCheckpoint(originSha256: string): Promise<string | null> {
    const origin = this.#origins.get(originSha256);
    if (origin === undefined) return null;
    const { checkpoint } = await this.options.folder.read(origin);
    return checkpoint === '' ? null : checkpoint;
  }

  #inTurn<T>(origin: string, step: () => Promise<T>): Promise<T> {
    const before = this.#steps.get(origin) ?? Promise.resolve();
    const running = before.then(step, step);
    this.#steps.set(origin, running);
    return running;
  }

  async #judge(offer: OfferedCheckpoint): Promise<WitnessVerdict> {
    const known = await this.options.folder.read(offer.origin);
    await this.#noteSplitView(offer, known);
    return compare(offer, known) ?? this.#sameAsBefore(offer, known) ?? this.#cosign(offer, known);
  }

  #sameAsBefore(offer: OfferedCheckpoint, known: CosignedLog): WitnessVerdict | null {
    const ageMs = this.options.now() - known.cosignedTs;
    const isSame = known.checkpoint.startsWith(`${offer.note.text}\n`);
    if (!isSame || ageMs < 0 || ageMs >= SAME_COSIGNATURE_MS) return null;
    return { outcome: 'cosigned', line: lastLineOf(known.checkpoint) };
  }

  async #cosign(offer: OfferedCheckpoint, known: CosignedLog): Promise<WitnessVerdict> {
    const { key, folder, now } = this.options;
    const seconds = Math.floor(now() / SECOND_MS);
    const line = key.cosign(offer.note.text, seconds);
    const { origin, size, root } = offer;
    const checkpoint = `${signedText(offer)}${line}`;
    await folder.write(origin, { ...known, size, root, checkpoint, cosignedTs: seconds * SECOND_MS });
    return { outcome: 'cosigned', line };
  }

  /** Two roots of one size prove that the log lies, from whatever size it was offered. The first is kept. */
  async #noteSplitView(offer: OfferedCheckpoint, known: CosignedLog): Promise<void> {
    const { folder, onSplitView } = this.options;
    const isSplit = offer.size === known.size && !offer.root.equals(known.root);
    if (!isSplit || known.conflict !== null) return;
    const conflict = signedText(offer);
    await folder.write(offer.origin, { ...known, conflict });
    onSplitView(offer.origin, known.checkpoint, conflict);
  }
}

/** Why there is no cosignature; `null`: there is no reason. */
function compare(offer: OfferedCheckpoint, known: CosignedLog): WitnessVerdict | null {
  if (offer.oldSize !== known.size) return { outcome: 'stale', size: known.size };
  if (offer.size === known.size && !offer.root.equals(known.root)) return { outcome: 'split_view' };
  return verifyConsistency(known, offer, offer.proof) ? null : { outcome: 'inconsistent' };
}

/** The checkpoint with those signatures that were verified. */
function signedText({ note }: OfferedCheckpoint): string {
  return `${note.text}\n${note.signatures.map(writeSignatureLine).join('')}`;
}

function lastLineOf(note: string): string {
  return note.slice(note.lastIndexOf('\n', note.length - 2) + 1);
}

function sha256Of(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
