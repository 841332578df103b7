import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';

import { readCheckpoint, readHashes, readTreeSize } from './checkpoint.js';
import { errorCode, readTextFile, writeNewFile, writeWholeFile } from './io.js';
import { parseNote, verifyNote, writeSignatureLine, type VerifierKey, type WitnessKey } from './note.js';
import { EMPTY_ROOT, verifyConsistency } from './tree.js';

/** State of a log at its last cosignature, as its file has it. */
interface CosignedLog {
  version: 1;
  origin: string;
  /** The signed note with our cosignature; empty before the first one. */
  checkpoint: string;
  /** The first checkpoint that contradicts the one we cosigned; `null`: none was seen. */
  conflict: string | null;
}

const OFFER = /^old (\d+)\n((?:\S+\n){0,63})\n/;

/** Reads the body of a request (C2SP tlog-witness, "add-checkpoint"); `null`: malformed. Verifies nothing. */
function readOffer(body: Buffer) {
  const text = isUtf8(body) ? body.toString() : '';
  const [head = '', size = '', lines = ''] = OFFER.exec(text) ?? [];
  const [oldSize, proof, note] = [readTreeSize(size), readHashes(lines), parseNote(text.slice(head.length))];
  const checkpoint = note === null ? null : readCheckpoint(note.text);
  if (oldSize === null || proof === null || note === null || checkpoint === null) return null;
  return { ...checkpoint, oldSize, proof, note };
}

type Offer = NonNullable<ReturnType<typeof readOffer>>;

/** An answer of a witness to an offer, as HTTP. */
export interface WitnessAnswer {
  status: number;
  text: string;
}

const refusal = (status: number, text: string): WitnessAnswer => ({ status, text: `${text}\n` });

export interface WitnessOptions {
  key: WitnessKey;
  /** The keys of logs; those of one name are of one log. */
  logs: readonly VerifierKey[];
  /** Its state, one file a log. One process at a time may use it. */
  folder: string;
  /** A log has signed two roots of one size. */
  onSplitView: (origin: string, cosigned: string, conflict: string) => void;
}

const sha256Of = (origin: string): string => createHash('sha256').update(origin).digest('hex');

/** Cosigns checkpoints of other logs (C2SP tlog-witness), each only as a continuation of the last one. */
export class CheckpointWitness {
  /** The last step for each log: comparing and storing is one step at a time. */
  readonly #steps = new Map<string, Promise<unknown>>();

  private constructor(private readonly options: WitnessOptions) {}

  /** Creates the folder if needed. Rejects with `FolderInUse` while another process uses it. */
  static async open(options: WitnessOptions): Promise<CheckpointWitness> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    await lock(join(options.folder, 'lock'));
    return new CheckpointWitness(options);
  }

  /** Lets another process use the folder. */
  async close(): Promise<void> {
    await rm(join(this.options.folder, 'lock'), { force: true });
  }

  /** Answers a request to cosign. A cosignature is durable before it is returned. */
  async addCheckpoint(body: Buffer): Promise<WitnessAnswer> {
    const offer = readOffer(body);
    if (offer === null) return refusal(400, 'The body is no old size, proof and checkpoint');
    const { origin, note } = offer;
    const keys = this.options.logs.filter((each) => each.name === origin);
    if (keys.length === 0) return refusal(404, 'This witness does not know a log of this origin');
    const signatures = verifyNote(note, keys);
    if (signatures === null) return refusal(403, 'No key that this witness knows for the log has signed it');
    if (offer.oldSize > offer.size) return refusal(400, 'The old size is above that of the checkpoint');
    const signed = `${note.text}\n${signatures.map(writeSignatureLine).join('')}`;
    const step = (): Promise<WitnessAnswer> => this.#judge(offer, signed);
    const running = (this.#steps.get(origin) ?? Promise.resolve()).then(step, step);
    this.#steps.set(origin, running);
    return running;
  }

  /** The last cosigned checkpoint of the log whose origin has this SHA-256 (hex); `null`: none. */
  async findCheckpoint(originSha256: string): Promise<string | null> {
    const { checkpoint } = await this.#read(originSha256);
    return checkpoint === '' ? null : checkpoint;
  }

  /** `signed` is the checkpoint with the verified signatures alone. */
  async #judge(offer: Offer, signed: string): Promise<WitnessAnswer> {
    const { key, onSplitView } = this.options;
    const { origin, size, root, oldSize, proof } = offer;
    const { checkpoint, conflict, known } = await this.#read(sha256Of(origin));
    const isSplit = size === known.size && !root.equals(known.root);
    // Two roots of one size prove that the log lies, whatever the old size is. The first one is kept.
    if (isSplit && conflict === null) {
      await this.#write({ version: 1, origin, checkpoint, conflict: signed });
      onSplitView(origin, checkpoint, signed);
    }
    if (oldSize !== known.size) return refusal(409, String(known.size));
    if (isSplit) return refusal(422, 'A checkpoint of this size with another root has been cosigned');
    if (!verifyConsistency(known, offer, proof))
      return refusal(422, 'The proof does not lead from the last cosigned checkpoint to this one');
    const line = key.cosign(offer.note.text, Math.floor(Date.now() / 1000));
    // Strangers can offer the last checkpoint as often as they like: that writes nothing.
    if (size > known.size || checkpoint === '')
      await this.#write({ version: 1, origin, checkpoint: `${signed}${line}`, conflict });
    return { status: 200, text: line };
  }

  /** Rejects for a damaged file: without it the witness could cosign a second history. */
  async #read(originSha256: string) {
    const path = join(this.options.folder, `${originSha256}.json`);
    const stored = await readTextFile(path);
    const empty = { size: 0, root: EMPTY_ROOT };
    if (stored === null) return { checkpoint: '', conflict: null, known: empty };
    const { version, origin, checkpoint, conflict } = JSON.parse(stored) as CosignedLog;
    const known = checkpoint === '' ? empty : readCheckpoint(parseNote(checkpoint)?.text ?? '');
    if (version !== 1 || known === null || sha256Of(origin) !== originSha256)
      throw new Error(`${path} is not the state of a log`);
    return { checkpoint, conflict, known };
  }

  /** Resolves when it is durable. */
  async #write(log: CosignedLog): Promise<void> {
    const path = join(this.options.folder, `${sha256Of(log.origin)}.json`);
    await writeWholeFile(path, `${JSON.stringify(log, null, 2)}\n`);
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
    const holder = Number(await readTextFile(path));
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
        'Cache-Control': 'no-store',
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
  const [, isOffer, originSha256 = ''] = PATH.exec(url) ?? [];
  if (isOffer === undefined) {
    const text = originSha256 === '' ? null : await witness.findCheckpoint(originSha256);
    return text === null ? refusal(404, 'Nothing is here') : { status: 200, text };
  }
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
