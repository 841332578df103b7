import { createHash } from 'node:crypto';

/** A checkpoint as served. */
export interface ServedCheckpoint {
  origin: string;
  size: number;
  root: string;
  note: string;
}

/** What an entry says. */
export interface ServedEntry {
  event: string;
  observed_ts: number;
  record_sha256: string;
  server_name: string;
  valid_until_ts: number;
  version: number;
  verify_keys?: Record<string, { key: string }>;
  old_verify_keys?: Record<string, { key: string; expired_ts?: number }>;
}

/** GET below the path of the log. */
export function getLog(baseUrl: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${baseUrl}/_svc/vidimus/v1/log/${path}`, init);
}

export async function getCheckpoint(baseUrl: string): Promise<ServedCheckpoint> {
  const response = await getLog(baseUrl, 'checkpoint');
  const note = await response.text();
  if (response.status !== 200) throw new Error(note);
  const [origin = '', size = '', root = ''] = note.split('\n');
  return { origin, size: Number(size), root, note };
}

/** The checkpoint once the log has so many entries; the sequencer runs once a second. */
export async function checkpointOf(baseUrl: string, size: number): Promise<ServedCheckpoint> {
  for (const endMs = performance.now() + 20_000; performance.now() < endMs;) {
    const checkpoint = await getCheckpoint(baseUrl);
    if (checkpoint.size >= size) return checkpoint;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the log does not reach ${size} entries`);
}

/** All entries of a log of this size, as bytes. */
export async function getEntries(baseUrl: string, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  for (let n = 0; n * 256 < size; n += 1) {
    const width = Math.min(256, size - n * 256);
    const path = `tile/entries/${String(n).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`;
    const response = await getLog(baseUrl, path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    for (let at = 0; at < bytes.length;) {
      const end = at + 2 + bytes.readUInt16BE(at);
      entries.push(bytes.subarray(at + 2, end));
      at = end;
    }
  }
  return entries;
}

export function readEntry(entry: Buffer): ServedEntry {
  return JSON.parse(entry.toString()) as ServedEntry;
}

/** Root of the tree over these entries, by the words of RFC 6962 §2.1. */
export function rootOfEntries(entries: readonly Buffer[]): string {
  return treeHash(entries.map((entry) => sha256(Buffer.from([0]), entry))).toString('base64');
}

function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length <= 1) return leaves[0] ?? sha256();
  const middle = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256(Buffer.from([1]), treeHash(leaves.slice(0, middle)), treeHash(leaves.slice(middle)));
}

/** What a proof proves: the entry, and whether it leads to the root of its checkpoint (RFC 6962 §2.1.1). */
export function readProof(text: string): { entry: Buffer; index: number; note: string; isValid: boolean } {
  const [head = '', ...rest] = text.split('\n\n');
  const note = rest.join('\n\n');
  const [magic, extra = '', indexLine = '', ...hashes] = head.split('\n');
  const entry = Buffer.from(extra.replace('extra ', ''), 'base64');
  const index = Number(indexLine.replace('index ', ''));
  const [, size = '', root] = note.split('\n');
  let hash = sha256(Buffer.from([0]), entry);
  let [node, last] = [index, Number(size) - 1];
  for (const line of hashes) {
    const sibling = Buffer.from(line, 'base64');
    while (node === last && node % 2 === 0 && last > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    const isRight = node % 2 === 1;
    hash = isRight ? sha256(Buffer.from([1]), sibling, hash) : sha256(Buffer.from([1]), hash, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  const isValid = magic === 'c2sp.org/tlog-proof@v1' && hash.toString('base64') === root;
  return { entry, index, note, isValid };
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
