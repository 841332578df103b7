import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Deadline } from '../../../../src/core/base/deadline.js';
import type { MediaInspector } from '../../../../src/core/preview/preview-worker.js';
import { contentUri, newMediaId, parseMediaId } from '../../../../src/core/preview/media/media-paths.js';
import { testEngines } from '../../../support/store/databases.js';
import { fillStore, makeRoom } from '../../../support/store/full-store.js';
import { DETAILS, createInspector, createMediaKit, filesBelow, type MediaKit } from './media-kit.js';
import { sampleImage } from './sample-images.js';

describe('a media id', () => {
  it('is the UTC date, an underscore and 16 letters, and its content URI names the server (SPEC §2.5, §2.3)', () => {
    const mediaId = newMediaId(Date.UTC(2026, 10, 21, 23, 59));

    expect(mediaId).toMatch(/^2026-11-21_[A-Za-z]{16}$/);
    expect(contentUri('svc', 'a.test:8448', mediaId)).toBe(`svc://a.test:8448/${mediaId}`);
    expect(new Set(Array.from({ length: 1000 }, () => newMediaId(0))).size).toBe(1000);
  });

  it.each([
    '',
    '..',
    '../../etc/passwd',
    '2026-11-21_abcdefghijklmno',
    '2026-11-21_abcdefghijklmnop\n',
    '2026-11-21_../../../../abcd',
  ])('is not %j', (text) => {
    expect(parseMediaId(text)).toBeNull();
  });
});

/** More than the pages have room for that are there. */
const LONG_URL = `https://pages.test/${'x'.repeat(60_000)}`;

describe.each(testEngines())('stored media on %s', (engine) => {
  let kit: MediaKit;

  beforeEach(async () => {
    kit = await createMediaKit(engine);
  });

  afterEach(() => kit.remove());

  it('has its file, thumbnails and row, and nothing under a temporary name', async () => {
    const bytes = await sampleImage(400, 300).png().toBuffer();

    const saved = await kit.save(bytes, { contentType: 'image/x-lie' });

    const { day, letters } = parseMediaId(saved.mediaId)!;
    for (const name of ['url_cache', `url_cache/${day}`, `url_cache_thumbnails/${day}/${letters}`, 'tmp'])
      expect(`${name} ${(statSync(join(kit.folder, name)).mode & 0o7777).toString(8)}`).toBe(`${name} 750`);
    expect(kit.listFiles()).toEqual([
      `url_cache/${day}/${letters}`,
      `url_cache_thumbnails/${day}/${letters}/32-32-image-png-crop`,
      `url_cache_thumbnails/${day}/${letters}/320-240-image-png-scale`,
      `url_cache_thumbnails/${day}/${letters}/400-300-image-png-scale`,
      `url_cache_thumbnails/${day}/${letters}/96-96-image-png-crop`,
    ]);
    expect(readFileSync(kit.file(saved.mediaId))).toEqual(bytes);
    expect(await kit.rows.find(saved.mediaId)).toEqual({
      ...DETAILS,
      mediaId: saved.mediaId,
      createdTs: kit.clock.now(),
      contentType: 'image/x-lie',
      sniffedType: 'image/png',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      width: 400,
      height: 300,
      lastAccessTs: null,
      fileRemovedTs: null,
      missingSinceTs: null,
    });
    expect(await kit.rows.listThumbnails(saved.mediaId)).toHaveLength(4);
  });

  it.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['garbage called PNG', 'garbage', null],
    ['an empty body', '', null],
  ])('%s is kept without dimensions', async (_name, text, sniffedType) => {
    const saved = await kit.save(Buffer.from(text), { contentType: 'image/png' });

    expect(saved).toMatchObject({ width: null, height: null, sniffedType, sizeBytes: text.length });
  });

  it('whose row is refused leaves no file', async () => {
    const bytes = await sampleImage(100, 100).png().toBuffer();
    await kit.database.client.$executeRawUnsafe('DROP TABLE media_thumbnail');
    await kit.database.client.$executeRawUnsafe('DROP TABLE media');

    await expect(kit.save(bytes)).rejects.toMatchObject({ code: 'P2010' });

    expect(kit.listFiles()).toEqual([]);
  });

  it('does not hold the client of a disk that hangs, and leaves no file once it goes on', async () => {
    let goOn = (): void => {};
    const disk = new Promise<void>((resolve) => (goOn = resolve));
    const inspect: MediaInspector['inspect'] = async (bytes, options) => {
      await disk;
      return createInspector().inspect(bytes, options);
    };
    const { store } = kit.wing({ ...createInspector(), inspect });
    const limit = new Deadline(20);
    const { signal } = limit;
    const late = store.save({ body: Buffer.from('page') }, DETAILS, { thumbnails: false, signal });

    await expect(late).rejects.toMatchObject({ status: 500, reason: 'media_not_written' });
    expect(store.load).toMatchObject({ running: 1 });
    goOn();
    await expect.poll(() => store.load).toMatchObject({ running: 0 });
    await expect.poll(() => kit.listFiles()).toEqual([]);
    expect(await kit.database.client.media.count()).toBe(0);
    limit.close();
  });

  it.each([
    ['an image', async () => sampleImage(100, 100).png().toBuffer()],
    ['a page', async () => Buffer.from('page')],
  ])('%s whose row finds the disk of the database full leaves no file and no row', async (_name, make) => {
    const bytes = await make();
    await fillStore(kit.database);

    for (let time = 0; time < 3; time += 1) {
      await expect(kit.save(bytes, { urlCache: LONG_URL })).rejects.toMatchObject({
        status: 500,
        reason: 'disk_full',
      });
    }

    expect(kit.listFiles()).toEqual([]);
    expect(kit.logs.join('')).toContain('"msg":"The disk of the database is full"');
    expect(await kit.database.client.media.count()).toBe(0);
    await makeRoom(kit.database);
    await kit.save(bytes, { urlCache: LONG_URL });
    expect(await kit.database.client.media.count()).toBe(1);
  });
});

/** A file system of 1 MB, or why there is none. */
function mountSmallDisk(): { folder: string; unmount: () => void } | string {
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(folder);
    const reason = `No file system can be mounted here, so a full disk is left out: ${String(error)}`;
    process.stderr.write(`${reason}\n`);
    return reason;
  }
  return {
    folder,
    unmount: () => {
      execFileSync('umount', [folder]);
      rmdirSync(folder);
    },
  };
}

describe('a full disk', () => {
  it('gives 500 with a clear log line, leaves nothing half-written, and is over when there is room', async (test) => {
    const disk = mountSmallDisk();
    if (typeof disk === 'string') {
      test.skip(disk);
      return;
    }
    const kit = await createMediaKit('sqlite', { folder: join(disk.folder, 'media') });
    const ballast = join(disk.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(700_000));
    const photo = await sampleImage(600, 400).png({ compressionLevel: 0 }).toBuffer();

    const failed = await Promise.allSettled([
      kit.save(photo),
      kit.save(randomBytes(250_000)),
      kit.save(randomBytes(250_000)),
    ]);

    const rejected = failed.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const outcome of rejected)
      expect(outcome).toMatchObject({ reason: { status: 500, reason: 'disk_full' } });
    expect(kit.logs.join('')).toContain('The file system of media_store_path is full');
    const rows = await kit.database.client.media.count();
    expect(filesBelow(kit.folder).filter((path) => path.startsWith('url_cache/'))).toHaveLength(rows);
    expect(filesBelow(join(kit.folder, 'tmp'))).toEqual([]);

    writeFileSync(ballast, '');
    await kit.save(Buffer.from('small again'));
    await kit.remove();
    disk.unmount();
  });
});
