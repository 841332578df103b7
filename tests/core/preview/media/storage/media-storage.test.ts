import { mkdirSync, mkdtempSync, rmSync, writeFileSync, type StatsFs } from 'node:fs';
import fileSystem from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { createLogger } from '../../../../../src/core/base/logger.js';
import { S3Bucket } from '../../../../../src/core/net/object-storage/s3-bucket.js';
import {
  FILE_LEVELS,
  THUMBNAIL_LEVELS,
  filePath,
  newMediaId,
} from '../../../../../src/core/preview/media/media-paths.js';
import { DiskStorage } from '../../../../../src/core/preview/media/storage/disk-storage.js';
import type { MediaStorage } from '../../../../../src/core/preview/media/storage/media-storage.js';
import { S3Storage } from '../../../../../src/core/preview/media/storage/s3-storage.js';
import { writeLocalFile } from '../../../../../src/core/preview/media/media-work.js';
import { PreviewWorker } from '../../../../../src/core/preview/preview-worker.js';
import {
  ACCESS_KEY_ID,
  REGION,
  SECRET,
  objectStoreMissing,
  startObjectStore,
  type ObjectStore,
} from '../../../../support/s3/object-store.js';
import { createCleaner } from '../../cleanup/cleanup-kit.js';
import { createInspector, createMediaKit, type MediaKit } from '../media-kit.js';
import { sampleImage } from '../sample-images.js';

const missing = objectStoreMissing();

const DAY = '2027-01-15';
const [ONE, TWO, THREE] = ['AbcdefghijklmnoP', 'aBcdefghijklmnoP', 'zzzzzzzzzzzzzzzz'];
const THUMBNAIL = '32-32-image-png-crop';

let store: ObjectStore;
let bucket: S3Bucket;
let prefixes = 0;

beforeAll(async () => {
  if (missing !== null) return;
  store = await startObjectStore();
  await store.makeBucket('media');
  bucket = new S3Bucket({
    endpoint: store.url,
    region: REGION,
    bucket: 'media',
    pathStyle: true,
    credentials: async () => ({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET }),
    timeoutMs: 10_000,
    maxConcurrent: 8,
    maxReads: 8,
    maxWaiting: 100,
  });
});
afterAll(async () => {
  bucket?.close();
  await store?.remove();
});

/** A storage, and what puts a file of any name into it. */
interface Place {
  storage: MediaStorage;
  put: (path: string, content: string) => Promise<void>;
}

/** Below a prefix of its own, with pages that several objects do not fit into. */
function objectStorage(): Place {
  prefixes += 1;
  const prefix = `test-${prefixes}/`;
  const storage = new S3Storage({ bucket, prefix }, createInspector(), 2);
  return { storage, put: (path, content) => bucket.put(prefix + path, Buffer.from(content)) };
}

function folderStorage(folder: string): Place {
  const storage = new DiskStorage({ folder, inspector: createInspector() });
  return {
    storage,
    put: (path, content) => writeLocalFile({ folder, path, isDurable: false }, Buffer.from(content)),
  };
}

async function listed(storage: MediaStorage, folder: string) {
  const unmanaged: string[] = [];
  const paths: string[] = [];
  const levels = folder === 'url_cache' ? FILE_LEVELS : THUMBNAIL_LEVELS;
  const options = { levels, onUnmanaged: (path: string) => void unmanaged.push(path) };
  for await (const batch of storage.list(folder, options)) paths.push(...batch);
  return { paths: paths.toSorted(), unmanaged };
}

describe.each(['disk', 's3'])('media storage: %s', (kind) => {
  let folder: string;
  let storage: MediaStorage;
  let put: Place['put'];

  beforeEach((test) => {
    if (kind === 's3' && missing !== null) test.skip(missing);
    folder = mkdtempSync(join(tmpdir(), 'vidimus-storage-'));
    ({ storage, put } = kind === 'disk' ? folderStorage(folder) : objectStorage());
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives back what was put, whole and in part, and nothing for what is not there', async () => {
    const name = `url_cache/${DAY}/${ONE}`;
    await storage.store(`${DAY}_${ONE}`, Buffer.from('0123456789'), null);
    await storage.store(`${DAY}_${ONE}`, Buffer.from('9876543210'), null);

    const whole = await storage.get(name);
    const part = await storage.get(name, { first: 2, last: 4 });

    expect([whole?.sizeBytes, await text(whole!.body)]).toEqual([10, '9876543210']);
    expect([part?.sizeBytes, await text(part!.body)]).toEqual([10, '765']);
    expect((await storage.find(name))?.sizeBytes).toBe(10);
    expect([await storage.get('url_cache/none'), await storage.find('none')]).toEqual([null, null]);
  });

  it('lists page by page in order of days, and tells what is not ours', async () => {
    const ours = ['2027-01-14', DAY].flatMap((day) =>
      [ONE, TWO, THREE].map((letters) => `url_cache/${day}/${letters}`),
    );
    const foreign = ['url_cache/notes.txt', `url_cache/${DAY}/cat.png`];
    for (const name of [...ours, ...foreign]) await put(name, 'x');

    expect(await listed(storage, 'url_cache')).toEqual({
      paths: ours.toSorted(),
      unmanaged: expect.arrayContaining(foreign) as string[],
    });
  });

  it('removes a file, or all below a folder', async () => {
    const thumbnails = `url_cache_thumbnails/${DAY}/${ONE}`;
    for (const name of ['1', '2', '3']) await put(`${thumbnails}/${name}${THUMBNAIL}`, 'x');
    await put(`url_cache_thumbnails/${DAY}/${TWO}/${THUMBNAIL}`, 'x');

    await storage.removeAll(thumbnails);
    expect((await listed(storage, 'url_cache_thumbnails')).paths).toHaveLength(1);
    await storage.remove(`url_cache_thumbnails/${DAY}/${TWO}/${THUMBNAIL}`);
    expect((await listed(storage, 'url_cache_thumbnails')).paths).toEqual([]);
    expect(await storage.hasFolder('url_cache')).toBe(false);
  });
});

describe.skipIf(missing !== null)(`media in object storage ${missing ?? ''}`, () => {
  let kit: MediaKit;
  let storage: MediaStorage;

  beforeEach(async () => {
    ({ storage } = objectStorage());
    kit = await createMediaKit('sqlite', { storage });
  });
  afterEach(() => kit?.remove());

  const collect = () => createCleaner(kit).collect();
  const png = () => sampleImage(700, 500).png().toBuffer();

  it('has object, thumbnails and row, and the garbage collection finds nothing to do', async () => {
    const { mediaId, sizeBytes } = await kit.save(await png());

    expect((await storage.find(filePath(mediaId)))?.sizeBytes).toBe(sizeBytes);
    expect((await listed(storage, 'url_cache_thumbnails')).paths).toHaveLength(
      (await kit.rows.listThumbnails(mediaId)).length,
    );
    expect(await collect()).toMatchObject({ outcome: 'ok', counts: {} });
  });
});

it('a folder that is none of a disk is not followed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-storage-'));
  mkdirSync(join(folder, 'url_cache', 'backup'), { recursive: true });
  expect(await listed(folderStorage(folder).storage, 'url_cache')).toEqual({
    paths: [],
    unmanaged: ['url_cache/backup'],
  });
  rmSync(folder, { recursive: true });
});

describe('a disk with room for one file beside what stays free', () => {
  const STAYS_FREE = 2_000_000;
  const worker = new PreviewWorker({ logger: createLogger({ level: 'silent' }) });
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-storage-'));

  beforeAll(() => {
    const room = { blocks: 10, bavail: 3, bsize: 1_000_000 } as StatsFs;
    vi.spyOn(fileSystem, 'statfs').mockResolvedValue(room);
    syncBuiltinESMExports();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await worker.close();
    rmSync(folder, { recursive: true });
  });

  it('takes one after the other, also after those that were refused or not written', async () => {
    const media = join(folder, 'media');
    const storage = new DiskStorage({ folder: media, inspector: worker, minFreeBytes: STAYS_FREE });
    const store = async (): Promise<unknown> =>
      storage.store(newMediaId(Date.now()), Buffer.alloc(600_000, 'x'), null);
    const failuresOfTwo = async () => {
      const both = await Promise.allSettled([store(), store()]);
      return both.map((each) => (each.status === 'rejected' ? each.reason : null));
    };

    writeFileSync(media, 'no folder');
    await expect(store()).rejects.toMatchObject({ code: 'ENOTDIR' });
    rmSync(media);
    for (let tried = 0; tried < 3; tried += 1)
      await expect(store()).resolves.toMatchObject({ sizeBytes: 600_000 });
    expect(await failuresOfTwo()).toContainEqual(expect.objectContaining({ reason: 'disk_full' }));
    await expect(store()).resolves.toMatchObject({ sizeBytes: 600_000 });
  });
});
