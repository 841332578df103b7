import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { S3Failure } from '../../../net/object-storage/s3-failure.js';
import { FILE_LEVELS, THUMBNAIL_LEVELS } from '../media-listing.js';
import { FILE_FOLDER, THUMBNAIL_FOLDER } from '../media-paths.js';
import type { MediaStorage } from './media-storage.js';

/** How far copying is. */
export interface CopyState {
  /** Files looked at. */
  files: number;
  copied: number;
  /** Were there already with the same bytes. */
  same: number;
  /** Were gone when their turn came. */
  gone: number;
  bytes: number;
  /** Paths below the root of those that could not be copied, with the reason; the first ones. */
  failures: { path: string; reason: string }[];
  failed: number;
  /** Folder of the day whose turn it is, below the root: all before it are done. */
  folder: string;
}

/** What is copied where. */
export interface CopyOptions {
  from: MediaStorage;
  to: MediaStorage;
  /** Folder of a day below the root, such as `url_cache/2026-11-20`: those before it are left out. */
  startAt?: string | undefined;
}

const TREES = [
  { folder: FILE_FOLDER, levels: FILE_LEVELS },
  { folder: THUMBNAIL_FOLDER, levels: THUMBNAIL_LEVELS },
];
const AT_ONCE = 4;
const MAX_FAILURES = 10;

/** How many files there are to look at. */
export async function countFiles(options: Omit<CopyOptions, 'to'>): Promise<number> {
  let count = 0;
  for await (const paths of batches(options)) count += paths.length;
  return count;
}

/**
 * Copies files and thumbnails, in order of their days, and reads each back: size and SHA-256 have to be those of the
 * source. What is there already is compared in the same way, so that it may be started again at any time. Nothing is
 * removed. Rejects with `S3Failure` when object storage is away or refuses; `state` tells then how far it came.
 */
export async function copyMedia(options: CopyOptions, state: CopyState): Promise<void> {
  for await (const paths of batches(options)) {
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      const some = paths.slice(start, start + AT_ONCE);
      state.folder = folderOf(some[0] ?? '');
      await Promise.all(some.map((path) => copyOne(path, options, state)));
    }
  }
}

export function newCopyState(): CopyState {
  return { files: 0, copied: 0, same: 0, gone: 0, bytes: 0, failures: [], failed: 0, folder: '' };
}

async function copyOne(path: string, { from, to }: CopyOptions, state: CopyState): Promise<void> {
  try {
    state[
      await copyFile({ from, source: join(from.root, path) }, { to, target: join(to.root, path) }, state)
    ] += 1;
  } catch (error) {
    if (error instanceof S3Failure) throw error;
    state.failed += 1;
    const reason = error instanceof Error ? error.message : String(error);
    if (state.failures.length < MAX_FAILURES) state.failures.push({ path, reason });
  }
  state.files += 1;
}

async function copyFile(
  { from, source }: { from: MediaStorage; source: string },
  { to, target }: { to: MediaStorage; target: string },
  state: CopyState,
): Promise<'copied' | 'same' | 'gone'> {
  const wanted = await digestOf(from, source);
  if (wanted === null) return 'gone';
  state.bytes += wanted.sizeBytes;
  const found = await to.find(target);
  if (found?.sizeBytes === wanted.sizeBytes && (await isSame(to, target, wanted))) return 'same';
  const file = await from.get(source);
  if (file === null) return 'gone';
  await to.put(target, { body: file.body, ...wanted });
  if (!(await isSame(to, target, wanted))) throw new Error('what was stored is read back otherwise');
  return 'copied';
}

interface Digest {
  sizeBytes: number;
  sha256: string;
}

async function isSame(storage: MediaStorage, path: string, wanted: Digest): Promise<boolean> {
  const found = await digestOf(storage, path);
  return found?.sizeBytes === wanted.sizeBytes && found.sha256 === wanted.sha256;
}

async function digestOf(storage: MediaStorage, path: string): Promise<Digest | null> {
  const file = await storage.get(path);
  if (file === null) return null;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bytesOf(file.body)) {
    sizeBytes += chunk.length;
    hash.update(chunk);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

function bytesOf(body: Readable): AsyncIterable<Uint8Array> {
  return body;
}

/** Paths below the root. */
async function* batches({ from, startAt = '' }: Omit<CopyOptions, 'to'>): AsyncGenerator<string[]> {
  for (const { folder, levels } of TREES) {
    if (startAt !== '' && startAt > folder && !startAt.startsWith(`${folder}/`)) continue;
    const start = startAt.startsWith(`${folder}/`) ? { startAt: join(from.root, startAt) } : {};
    const cut = from.root === '' ? 0 : from.root.length + 1;
    for await (const paths of from.list(join(from.root, folder), { levels, ...start }))
      yield paths.map((path) => path.slice(cut));
  }
}

function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}
