import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';

import { readCheckpoint, readHashes, readTreeSize, type CheckpointText } from './checkpoint.js';
import { errorCode, writeNewFile, writeWholeFile } from './io.js';
import { parseNote, verifyNote, writeSignatureLine, type VerifierKey, type WitnessKey } from './note.js';
import { EMPTY_ROOT, verifyConsistency } from './tree.js';

/** State of a log at its last cosignature, as its file has it; of size 0 before the first one. */
interface CosignedLog {
  version: 1;
  origin: string;
  size: number;
  /** Base64. */
  root: string;
  /** The signed note with our cosignature; empty before the first one. */
  checkpoint: string;
  /** When it was cosigned, POSIX ms. */
  cosignedTs: number;
  /** The first checkpoint that contradicts the one we cosigned; `null`: none was seen. */
  conflict: string | null;
}

/** A checkpoint offered for a cosignature, with the proof that it continues an older one. */
interface OfferedCheckpoint extends CheckpointText {
  oldSize: number;
  proof: readonly Buffer[];
  /** The signed text. */
  text: string;
}

const OFFER = /^old (\d+)\n((?:\S+\n){0,63})\n/;

/** An answer of a witness to an offer, as HTTP. */
export interface WitnessAnswer {
  status: number;
  text: string;
}

const refusal = (status: number, text: string): WitnessAnswer => ({ status, text: `${text}\n` });

export interface WitnessOptions {
  key: WitnessKey;
  /** The keys that each log signs with, by origin. */
  logs: ReadonlyMap<string, readonly VerifierKey[]>;
  /** Its state, one file a log. One process at a time may use it. */
  folder: string;
  /** POSIX ms; a cosignature states the time. */
  now: () => number;
  /** A log has signed two roots of one size. */
  onSplitView: (origin: string, cosigned: string, conflict: string) => void;
}

const SECOND_MS = 1000;
/** A checkpoint that is offered again within this time gets the same cosignature, without a write. */
const SAME_COSIGNATURE_MS = 10 * SECOND_MS;
const LOCK = 'lock';

const sha256Of = (origin: string): string => createHash('sha256').update(origin).digest('hex');

/** Cosigns checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. */
export class CheckpointWitness {
  /** The last step for each log: comparing and storing is one step at a time. */
  readonly #steps = new Map<string, Promise<unknown>>();

  private constructor(private readonly options: WitnessOptions) {}

  /** Creates the folder if needed. Rejects with `FolderInUse` while another process uses it. */
  static async open(options: WitnessOptions): Promise<CheckpointWitness> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    await lock(join(options.folder, LOCK));
    return new CheckpointWitness(options);
  }

  /** Lets another process use the folder. */
  async close(): Promise<void> {
    await rm(join(this.options.folder, LOCK), { force: true });
  }

  /** Answers a request to cosign. A cosignature is durable before it is returned. */
  async addCheckpoint(body: Buffer): Promise<WitnessAnswer> {
    const text = isUtf8(body) ? body.toString() : '';
    const [head = '', size = '', lines = ''] = OFFER.exec(text) ?? [];
    const [oldSize, proof] = [readTreeSize(size), readHashes(lines)];
    const note = parseNote(text.slice(head.length));
    const checkpoint = note === null ? null : readCheckpoint(note.text);
    if (oldSize === null || proof === null || note === null || checkpoint === null)
      return refusal(400, 'The body is no old size, proof and checkpoint');
    const { origin } = checkpoint;
    const keys = this.options.logs.get(origin);
    if (keys === undefined) return refusal(404, 'This witness does not know a log of this origin');
    const signatures = verifyNote(note, keys);
    if (signatures === null) return refusal(403, 'No key that this witness knows for the log has signed it');
    if (oldSize > checkpoint.size) return refusal(400, 'The old size is above that of the checkpoint');
    const signed = `${note.text}\n${signatures.map(writeSignatureLine).join('')}`;
    const step = (): Promise<WitnessAnswer> =>
      this.#judge({ ...checkpoint, oldSize, proof, text: note.text }, signed);
    const running = (this.#steps.get(origin) ?? Promise.resolve()).then(step, step);
    this.#steps.set(origin, running);
    return running;
  }

  /** The last cosigned checkpoint of the log whose origin has this SHA-256 (hex); `null`: none. */
  async findCheckpoint(originSha256: string): Promise<string | null> {
    const origin = [...this.options.logs.keys()].find((each) => sha256Of(each) === originSha256);
    const checkpoint = origin === undefined ? '' : (await this.#read(origin)).checkpoint;
    return checkpoint === '' ? null : checkpoint;
  }

  /** `signed` is the checkpoint with the verified signatures alone. */
  async #judge(offer: OfferedCheckpoint, signed: string): Promise<WitnessAnswer> {
    const { key, now, onSplitView } = this.options;
    const { origin, size, oldSize, proof, text } = offer;
    const known = await this.#read(origin);
    const root = offer.root.toString('base64');
    const isSplit = size === known.size && root !== known.root;
    // Two roots of one size prove that the log lies, whatever the old size is. The first one is kept.
    if (isSplit && known.conflict === null) {
      await this.#write({ ...known, conflict: signed });
      onSplitView(origin, known.checkpoint, signed);
    }
    if (oldSize !== known.size) return refusal(409, String(known.size));
    if (isSplit) return refusal(422, 'A checkpoint of this size with another root has been cosigned');
    if (!verifyConsistency({ size: known.size, root: Buffer.from(known.root, 'base64') }, offer, proof))
      return refusal(422, 'The proof does not lead from the last cosigned checkpoint to this one');
    const ageMs = now() - known.cosignedTs;
    if (known.checkpoint.startsWith(`${text}\n`) && ageMs >= 0 && ageMs < SAME_COSIGNATURE_MS)
      return { status: 200, text: known.checkpoint.split('\n').slice(-2).join('\n') };
    const seconds = Math.floor(now() / SECOND_MS);
    const line = key.cosign(text, seconds);
    const cosigned = { checkpoint: `${signed}${line}`, cosignedTs: seconds * SECOND_MS };
    await this.#write({ ...known, size, root, ...cosigned });
    return { status: 200, text: line };
  }

  /** Rejects for a damaged file: without it the witness could cosign a second history. */
  async #read(origin: string): Promise<CosignedLog> {
    const path = this.#fileOf(origin);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    const root = EMPTY_ROOT.toString('base64');
    if (text === null)
      return { version: 1, origin, size: 0, root, checkpoint: '', cosignedTs: 0, conflict: null };
    const log = JSON.parse(text) as CosignedLog;
    if (log.version !== 1 || log.origin !== origin) throw new Error(`${path} is not the state of ${origin}`);
    return log;
  }

  /** Resolves when it is durable. */
  async #write(log: CosignedLog): Promise<void> {
    await writeWholeFile(this.#fileOf(log.origin), `${JSON.stringify(log, null, 2)}\n`);
  }

  #fileOf(origin: string): string {
    return join(this.options.folder, `${sha256Of(origin)}.json`);
  }
}

export class FolderInUse extends Error {}

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
      throw new FolderInUse(`Process ${holder} uses this folder. If it is not a witness, delete ${path}`);
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Room for a proof, and for sixteen of the largest signatures that notes may have. */
const MAX_OFFER_BYTES = 128 * 1024;
const MAX_CONNECTIONS = 256;
const REQUEST_TIMEOUT_MS = 10_000;
const PATH = /^\/(?:(add-checkpoint)|([0-9a-f]{64})\/checkpoint)(?:\?|$)/;

/** Serves a witness (C2SP tlog-witness) over HTTP; TLS and limits per client are for a reverse proxy in front. */
export function createWitnessServer(witness: CheckpointWitness, onError: (error: unknown) => void): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const respond = ({ status, text }: WitnessAnswer): void => {
      response.writeHead(status, {
        'Content-Type': status === 409 ? 'text/x.tlog.size' : 'text/plain; charset=utf-8',
        'Cache-Control': status === 200 && request.method !== 'POST' ? 'public, max-age=1' : 'no-store',
        ...(status === 413 ? { Connection: 'close' } : {}),
      });
      response.end(text);
    };
    answer(witness, request).then(respond, (error: unknown) => {
      if (!request.destroyed || request.complete) onError(error);
      respond(refusal(500, 'The witness could not store its answer'));
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(witness: CheckpointWitness, request: IncomingMessage): Promise<WitnessAnswer> {
  const { url = '', method = '' } = request;
  const [, isOffer, originSha256] = PATH.exec(url) ?? [];
  if (originSha256 !== undefined && ['GET', 'HEAD'].includes(method)) {
    const text = await witness.findCheckpoint(originSha256);
    if (text !== null) return { status: 200, text };
  }
  if (isOffer === undefined) return refusal(404, 'Nothing is here');
  if (method !== 'POST') return refusal(405, 'Send POST');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_OFFER_BYTES) return refusal(413, `The body has more than ${MAX_OFFER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return witness.addCheckpoint(Buffer.concat(chunks));
}
