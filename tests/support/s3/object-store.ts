import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { S3Client } from '../../../src/core/net/object-storage/s3-client.js';

const SWIFT = fileURLToPath(new URL('swift_s3.py', import.meta.url));
const PYTHON = '/usr/bin/python3';
export const NO_LIMIT = new AbortController().signal;

export const ACCESS_KEY_ID = 'test:vidimus';
export const SECRET = 'a-secret-that-nobody-else-knows';
export const REGION = 'us-east-1';

/** A real object store on loopback that checks signatures, and may be stopped and started again on its port. */
export interface ObjectStore {
  /** Base URL. */
  url: string;
  /** Settings of `media.s3` for a bucket that is made by this. */
  makeBucket(name: string): Promise<Record<string, unknown>>;
  start(): Promise<void>;
  /** It is gone from one moment to the other; what it has stays. */
  stop(): Promise<void>;
  /** Halts it where it is (Linux): it takes connections and questions and answers none. */
  freeze(): void;
  thaw(): void;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Why there can be none here; `null`: there can. */
export function objectStoreMissing(): string | null {
  try {
    execFileSync(PYTHON, ['-B', SWIFT, '--check'], { stdio: 'pipe' });
    return null;
  } catch {
    return `skipped: ${PYTHON} lacks Swift (Debian packages swift-proxy, swift-account, swift-container, swift-object)`;
  }
}

/** `aheadSeconds`: how far its clock is ahead. */
export async function startObjectStore(aheadSeconds = 0): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-swift-'));
  let process = await run([folder, ACCESS_KEY_ID, SECRET, '0', String(aheadSeconds)]);
  const { port } = process;
  const url = `http://127.0.0.1:${port}/`;
  const stop = async (): Promise<void> => {
    if (process.child.exitCode !== null || process.child.signalCode !== null) return;
    process.child.kill('SIGKILL');
    await once(process.child, 'exit');
  };
  return {
    url,
    makeBucket: async (bucket) => {
      const client = createClient(url, bucket);
      (await client.send({ method: 'PUT' }, NO_LIMIT)).resume();
      client.close();
      const secret_access_key = SECRET;
      return { bucket, endpoint: url, region: REGION, access_key_id: ACCESS_KEY_ID, secret_access_key };
    },
    start: async () => {
      process = await run([folder, ACCESS_KEY_ID, SECRET, port, String(aheadSeconds)]);
    },
    stop,
    freeze: () => void process.child.kill('SIGSTOP'),
    thaw: () => void process.child.kill('SIGCONT'),
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** To look at what is stored. */
export function createClient(endpoint: string, bucket = 'media'): S3Client {
  const credentials = async () => ({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET });
  return new S3Client({ endpoint, region: REGION, bucket, pathStyle: true, credentials, maxSockets: 4 });
}

/** Keys of a bucket with the sizes of their objects. */
export async function storedSizes(client: S3Client): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let last = ''; ; last = [...sizes.keys()].at(-1) ?? '') {
    const query = { 'list-type': '2', 'start-after': last };
    const listed = await text(await client.send({ method: 'GET', query }, NO_LIMIT));
    for (const [, key = '', size] of listed.matchAll(/<Key>([^<]*)<\/Key>[^]*?<Size>(\d+)</g))
      sizes.set(key, Number(size));
    if (!listed.includes('<IsTruncated>true<')) return sizes;
  }
}

async function run(place: readonly string[]): Promise<{ child: ChildProcess; port: string }> {
  const child = spawn(PYTHON, ['-B', SWIFT, ...place], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const first = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`Swift ended: ${errors}`);
  return { child, port: String(first[0]).trim() };
}
