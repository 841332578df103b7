import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { temporaryFolder } from '../cli/vidimus.js';
import { sampleImage } from '../core/preview/media/sample-images.js';
import { startPreviewKit, tagged, type PreviewKit } from '../rest/clients/preview/preview-kit.js';
import { page } from '../support/origins/remote-site.js';
import { setUpEach } from '../support/set-up.js';

const NOT_STORED = { errcode: 'M_UNKNOWN', error: 'The media could not be stored' };

const folder = setUpEach(temporaryFolder);
let kit: PreviewKit;
let media: string;
let isMounted = false;

beforeEach(async () => {
  media = join(folder.path, 'media');
  await mkdir(media);
});
afterEach(async () => {
  await kit.remove();
  if (isMounted) execFileSync('umount', [media]);
  isMounted = false;
});

/** Files below the media folder; a folder for unfinished ones may be there, and must be empty. */
async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe('a media folder that cannot be written', () => {
  it('is 500 with a clear log line, and is not remembered once it can', async () => {
    kit = await startPreviewKit({ settings: { media_store_path: media } });
    const url = kit.serve('/page', tagged({ 'og:title': 'T' }));
    await rm(media, { recursive: true });
    await writeFile(media, 'no folder');
    const { status, body } = await kit.preview(url);
    expect([status, body]).toEqual([500, NOT_STORED]);
    const line = kit.service.logs.find(({ reason }) => reason === 'media_not_written');
    expect(line).toMatchObject({ level: 'error' });
    expect(JSON.stringify(body)).not.toContain(media);

    await rm(media);
    await mkdir(media);
    expect((await kit.preview(url)).body['og:title']).toBe('T');
  });
});

describe('a full disk', () => {
  const reason = whyNoMount();

  beforeAll(() => {
    if (reason !== null) process.stderr.write(`\n*** A FULL DISK IS NOT TESTED: ${reason}\n\n`);
  });

  it.skipIf(reason !== null)(
    'is 500 with a clear log line, leaves nothing half-written, and recovers alone',
    async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', media]);
      isMounted = true;
      kit = await startPreviewKit({ settings: { media_store_path: media, media: { min_free_space: 0 } } });
      const large = `${tagged({ 'og:title': 'Large' })}<!--${'x'.repeat(400_000)}-->`;
      const jpeg = await sampleImage(1200, 900).jpeg({ quality: 100 }).toBuffer();
      kit.serve('/picture.jpg', page(jpeg, { type: 'image/jpeg' }));
      for (const path of ['/1', '/2']) {
        expect((await kit.preview(kit.serve(path, large))).status).toBe(200);
      }
      const before = await filesOf(media);

      // A page that does not fit fails the preview; an image only itself.
      const { status, body } = await kit.preview(kit.serve('/3', large));
      expect([status, body]).toEqual([500, NOT_STORED]);
      const small = tagged({ 'og:title': 'Small', 'og:image': '/picture.jpg' });
      const without = await kit.preview(kit.serve('/4', small));
      expect(without.body).toEqual({ 'og:title': 'Small', 'og:description': null });
      const lines = kit.service.logs.filter((line) => line['reason'] === 'disk_full');
      const msg = 'The file system of media_store_path is full';
      expect(lines[0]).toMatchObject({ level: 'error', msg });
      expect((await filesOf(media)).length).toBe(before.length + 1);
      expect(await kit.service.context.parts.database.client.media.count()).toBe(3);

      execFileSync('mount', ['-o', 'remount,size=32m', media]);
      expect((await kit.preview('/3')).body['og:title']).toBe('Large');
      const again = await kit.preview(kit.serve('/5', small));
      expect(again.body['og:image:width']).toBe(1200);
    },
  );

  it.skipIf(reason !== null)('keeps 200 MB free for all else, which is told', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=202m', 'tmpfs', media]);
    isMounted = true;
    kit = await startPreviewKit({ settings: { media_store_path: media } });
    const large = `${tagged({ 'og:title': 'Large' })}<!--${'x'.repeat(1_500_000)}-->`;
    expect((await kit.preview(kit.serve('/1', large))).status).toBe(200);
    const before = await filesOf(media);

    const { status, body } = await kit.preview(kit.serve('/2', large));

    expect([status, body]).toEqual([500, NOT_STORED]);
    expect(await filesOf(media)).toEqual(before);
    const [line] = kit.service.logs.filter((each) => each['reason'] === 'disk_full');
    expect(line).toMatchObject({
      level: 'error',
      msg: 'less than media.min_free_space would be left on the disk of media_store_path',
      media_store_path: media,
      min_free_space: 200 * 1024 ** 2,
    });
    expect(line?.['free_bytes']).toBeLessThan(202 * 1024 ** 2);
    expect(JSON.stringify(body)).not.toContain(media);
    expect(await (await fetch(`${kit.service.url}/metrics`)).text()).toContain(
      'vidimus_preview_bound_total{work="disk",bound="total"} 1',
    );
    const checks = await kit.service.context.services.health.look();
    expect(checks.find(({ id }) => id === 'media_storage')).toMatchObject({ state: 'failed' });
    expect((await kit.preview(kit.serve('/3', tagged({ 'og:title': 'Small' })))).status).toBe(200);
  });
});

/** Why no small file system can be mounted here; `null` when one can. */
function whyNoMount(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'mounting needs root on Linux';
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `mounting is refused here (${error instanceof Error ? error.message.split('\n')[0] : 'unknown'})`;
  }
}
