import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';

import { readCheckpoint, readHashLines, readTreeSize, type CheckpointText } from './checkpoint.js';
import { errorCode, writeNewFile, writeWholeFile } from './io.js';
import {
  parseNote,
  verifyNote,
  writeSignatureLine,
  type SignedNote,
  type VerifierKey,
  type WitnessKey,
} from './note.js';
import { EMPTY_ROOT, verifyConsistency } from './tree.js';

/** State of a log at its last cosignature; of size 0 before the first one. */
export interface CosignedLog {
  size: number;
  root: Buffer;
  /** The signed note with our cosignature; empty before the first one. */
  checkpoint: string;
  /** When it was cosigned, POSIX ms. */
  cosignedTs: number;
  /** The first checkpoint that contradicts the one we cosigned; `null`: none was seen. */
  conflict: string | null;
}

interface StoredLog extends Omit<CosignedLog, 'root'> {
  version: 1;
  origin: string;
  root: string;
}

const UNSEEN: CosignedLog = { size: 0, root: EMPTY_ROOT, checkpoint: '', cosignedTs: 0, conflict: null };
const LOCK = 'lock';

const sha256Of = (origin: string): string => createHash('sha256').update(origin).digest('hex');

/** The state of a witness: a folder with one file for each log. One process at a time may use it. */
export class WitnessFolder {
  private constructor(private readonly path: string) {}

  /** Opens the folder, creating it if needed. Rejects while another process uses it. */
  static async open(path: string): Promise<WitnessFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await lock(join(path, LOCK));
    return new WitnessFolder(path);
  }

  /** Rejects for a damaged file: without it the witness could cosign a second history. */
  async read(origin: string): Promise<CosignedLog> {
    const path = this.#fileOf(origin);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return UNSEEN;
    const { version, origin: name, root, ...log } = JSON.parse(text) as StoredLog;
    if (version !== 1 || name !== origin) throw new Error(`${path} is not the state of ${origin}`);
    return { ...log, root: Buffer.from(root, 'base64') };
  }

  /** Replaces the state of a log; resolves when it is durable. */
  async write(origin: string, { root, ...log }: CosignedLog): Promise<void> {
    const stored: StoredLog = { version: 1, origin, root: root.toString('base64'), ...log };
    await writeWholeFile(this.#fileOf(origin), `${JSON.stringify(stored, null, 2)}\n`);
  }

  /** Lets another process use the folder. */
  async close(): Promise<void> {
    await rm(join(this.path, LOCK), { force: true });
  }

  #fileOf(origin: string): string {
    return join(this.path, `${sha256Of(origin)}.json`);
  }
}

/** Replaces the lock file of a process that has ended by a crash or a restart of the machine. */
async function lock(path: string): Promise<void> {
  for (;;) {
    try {
      await writeNewFile(path, String(process.pid));
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder !== process.pid && isRunning(holder))
      throw new Error(`Process ${holder} uses this folder. If it is not a witness, delete ${path}`);
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** A checkpoint offered for a cosignature, with the proof that it continues an older one. */
interface OfferedCheckpoint extends CheckpointText {
  oldSize: number;
  proof: readonly Buffer[];
  note: SignedNote;
}

const OFFER = /^old (\d+)\n((?:\S+\n){0,63})\n/;

/** Reads the body of a request (C2SP tlog-witness, "add-checkpoint"); `null`: malformed. Verifies nothing. */
function readOffer(body: Buffer): OfferedCheckpoint | null {
  const text = isUtf8(body) ? body.toString() : '';
  const [head = '', size = '', lines = ''] = OFFER.exec(text) ?? [];
  const [oldSize, proof] = [readTreeSize(size), readHashLines(lines.split('\n').slice(0, -1))];
  const note = parseNote(text.slice(head.length));
  const checkpoint = note === null ? null : readCheckpoint(note.text);
  if (oldSize === null || proof === null || note === null || checkpoint === null) return null;
  return { ...checkpoint, oldSize, proof, note };
}

/** An answer of a witness to an offer, as HTTP. */
export interface WitnessAnswer {
  status: number;
  text: string;
}

const MALFORMED = { status: 400, text: 'The body is no old size, proof and checkpoint' };
const BELOW_OLD = { status: 400, text: 'The old size is above that of the checkpoint' };
const UNTRUSTED = {
  status: 403,
  text: 'The checkpoint bears no valid signature of a key this witness knows for its log',
};
const UNKNOWN_ORIGIN = { status: 404, text: 'This witness does not know a log of this origin' };
const INCONSISTENT = {
  status: 422,
  text: 'The proof does not lead from the last cosigned checkpoint to this one',
};
const SPLIT_VIEW = { status: 422, text: 'A checkpoint of this size with another root has been cosigned' };

export interface CheckpointWitnessOptions {
  key: WitnessKey;
  /** The keys that each log signs with, by origin. */
  logs: ReadonlyMap<string, readonly VerifierKey[]>;
  folder: WitnessFolder;
  /** POSIX ms; a cosignature states the time. */
  now: () => number;
  /** A log has signed two roots of one size. */
  onSplitView: (origin: string, cosigned: string, conflict: string) => void;
}

const SECOND_MS = 1000;
/** A checkpoint that is offered again within this time gets the same cosignature, without a write. */
const SAME_COSIGNATURE_MS = 10 * SECOND_MS;

/** Cosigns checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. */
export class CheckpointWitness {
  /** The last step for each log: comparing and storing is one step at a time. */
  readonly #steps = new Map<string, Promise<unknown>>();

  constructor(private readonly options: CheckpointWitnessOptions) {}

  /** Answers a request to cosign. A cosignature is durable before it is returned. */
  async addCheckpoint(body: Buffer): Promise<WitnessAnswer> {
    const offer = readOffer(body);
    if (offer === null) return MALFORMED;
    const { origin, note } = offer;
    const keys = this.options.logs.get(origin);
    if (keys === undefined) return UNKNOWN_ORIGIN;
    const signatures = verifyNote(note, keys);
    if (signatures === null) return UNTRUSTED;
    if (offer.oldSize > offer.size) return BELOW_OLD;
    const signed = `${note.text}\n${signatures.map(writeSignatureLine).join('')}`;
    const step = (): Promise<WitnessAnswer> => this.#judge(offer, signed);
    const running = (this.#steps.get(origin) ?? Promise.resolve()).then(step, step);
    this.#steps.set(origin, running);
    return running;
  }

  /** The last cosigned checkpoint of the log whose origin has this SHA-256 (hex); `null`: none. */
  async findCheckpoint(originSha256: string): Promise<string | null> {
    const origin = [...this.options.logs.keys()].find((each) => sha256Of(each) === originSha256);
    const checkpoint = origin === undefined ? '' : (await this.options.folder.read(origin)).checkpoint;
    return checkpoint === '' ? null : checkpoint;
  }

  /** `signed` is the checkpoint with the verified signatures alone. */
  async #judge(offer: OfferedCheckpoint, signed: string): Promise<WitnessAnswer> {
    const { key, folder, now, onSplitView } = this.options;
    const { origin, size, root, oldSize, proof, note } = offer;
    const known = await folder.read(origin);
    const isSplit = size === known.size && !root.equals(known.root);
    // Two roots of one size prove that the log lies, whatever the old size is. The first one is kept.
    if (isSplit && known.conflict === null) {
      await folder.write(origin, { ...known, conflict: signed });
      onSplitView(origin, known.checkpoint, signed);
    }
    if (oldSize !== known.size) return { status: 409, text: `${known.size}\n` };
    if (isSplit) return SPLIT_VIEW;
    if (!verifyConsistency(known, offer, proof)) return INCONSISTENT;
    const ageMs = now() - known.cosignedTs;
    const isSame = known.checkpoint.startsWith(`${note.text}\n`);
    if (isSame && ageMs >= 0 && ageMs < SAME_COSIGNATURE_MS)
      return { status: 200, text: known.checkpoint.split('\n').slice(-2).join('\n') };
    const seconds = Math.floor(now() / SECOND_MS);
    const line = key.cosign(note.text, seconds);
    const cosigned = { checkpoint: `${signed}${line}`, cosignedTs: seconds * SECOND_MS };
    await folder.write(origin, { ...known, size, root, ...cosigned });
    return { status: 200, text: line };
  }
}

/** Room for a proof, and for sixteen of the largest signatures that notes may have. */
const MAX_OFFER_BYTES = 128 * 1024;
const MAX_CONNECTIONS = 256;
const REQUEST_TIMEOUT_MS = 10_000;
const COSIGNED = /^\/([0-9a-f]{64})\/checkpoint(?:\?|$)/;
const NOT_FOUND = { status: 404, text: 'Nothing is here' };

/** Serves a witness (C2SP tlog-witness) over HTTP; TLS and limits per client are for a reverse proxy in front. */
export function createWitnessServer(witness: CheckpointWitness, onError: (error: unknown) => void): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const answering = async (): Promise<void> => {
      const { status, text } = await answer(witness, request).catch((error: unknown) => {
        if (!request.destroyed || request.complete) onError(error);
        return { status: 500, text: 'The witness could not store its answer' };
      });
      response.writeHead(status, {
        'Content-Type': status === 409 ? 'text/x.tlog.size' : 'text/plain; charset=utf-8',
        'Cache-Control': status === 200 && request.method !== 'POST' ? 'public, max-age=1' : 'no-store',
        ...(status === 413 ? { Connection: 'close' } : {}),
      });
      response.end(text.endsWith('\n') ? text : `${text}\n`);
    };
    answering().catch(onError);
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(witness: CheckpointWitness, request: IncomingMessage): Promise<WitnessAnswer> {
  const { url = '', method = '' } = request;
  const [, originSha256] = COSIGNED.exec(url) ?? [];
  if (originSha256 !== undefined && ['GET', 'HEAD'].includes(method)) {
    const checkpoint = await witness.findCheckpoint(originSha256);
    return checkpoint === null ? NOT_FOUND : { status: 200, text: checkpoint };
  }
  if (!/^\/add-checkpoint(?:\?|$)/.test(url)) return NOT_FOUND;
  if (method !== 'POST') return { status: 405, text: 'Send POST' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_OFFER_BYTES)
      return { status: 413, text: `The body has more than ${MAX_OFFER_BYTES} bytes` };
    chunks.push(chunk);
  }
  return witness.addCheckpoint(Buffer.concat(chunks));
}
