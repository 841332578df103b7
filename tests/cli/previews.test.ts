import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../core/preview/media/sample-images.js';
import { restTheCaretakers } from '../support/stored-pages.js';
import { createToken } from '../support/clients/preview-client.js';
import { page } from '../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../rest/clients/preview/preview-kit.js';
import { testEngines } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

describe.each(testEngines())('vidimus preview, cache and media on %s', (engine) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let kit: PreviewKit;

  beforeAll(async () => {
    folder = await temporaryFolder();
    kit = await startPreviewKit({ engine });
    const { config } = kit.service.context;
    await mkdir(join(folder.path, 'media'), { recursive: true });
    await writeConfig(folder.path, {
      server_name: config.server_name,
      media_store_path: config.media_store_path,
      database:
        config.database.engine === 'sqlite'
          ? { path: config.database.path }
          : { engine: 'postgresql', url: config.database.url },
      dns: { hosts: { 'site.test': ['127.0.0.1'] } },
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
    });
    kit.serve('/p.png', page(await sampleImage(300, 200).png().toBuffer(), { type: 'image/png' }));
    kit.serve('/a', tagged({ 'og:title': 'A', 'og:image': '/p.png' }));
    kit.token = await createToken(kit.service);
  });
  afterAll(async () => {
    await kit.remove();
    await folder.remove();
  });

  const run = (...args: string[]) => runHere([...args, '-c', 'config.yaml'], { cwd: folder.path });
  const runProcess = (...args: string[]) => vidimus([...args, '-c', 'config.yaml'], { cwd: folder.path });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    // What it printed stands beside a wrong code.
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout });
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('previews a URL with every stage, and keeps nothing of it', async () => {
    const { client } = kit.service.context.parts.database;

    const tried = await json('preview', kit.url('/a'));
    const shown = await runProcess('preview', kit.url('/a'), '--trace');
    const failed = await run('preview', kit.url('/gone'));
    const refused = await run('preview', 'http://127.0.0.1:1/');

    expect(tried).toMatchObject({ status: 200, source: 'html', final_url: kit.url('/a') });
    expect(JSON.parse(String(tried['body']))).toMatchObject({ 'og:title': 'A', 'og:image:width': 300 });
    expect((tried['steps'] as unknown[]).length).toBeGreaterThanOrEqual(18);
    expect(shown.stdout).toMatch(/Name resolution +ok +\d+ ms {2}site\.test is at 127\.0\.0\.1/);
    expect(shown.stderr).toBe('');
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('Got error 404') });
    expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining('Nothing listens there') });
    expect([await client.media.count(), await client.previewCache.count()]).toEqual([0, 0]);
  });

  it('counts, lists and deletes what is stored', async () => {
    // A job of the server that runs just then would rightly keep the command's own out.
    await restTheCaretakers(kit.service);
    await kit.preview('/a');
    const { client } = kit.service.context.parts.database;
    expect(await json('cache', 'stats')).toMatchObject({
      previews: { stored: 1, empty: 0 },
      media: { items: 2, missing: 0 },
    });
    expect((await runProcess('cache', 'stats')).stderr).toContain('goes on with what it remembers');

    const listed = (await json('media', 'ls', '--type', 'image/')) as unknown as { media_id: string }[];
    expect(listed).toMatchObject([{ content_type: 'image/png', file_state: 'present', width: 300 }]);
    expect(await runProcess('media', 'rm', '--type', 'text/')).toMatchObject({
      code: 0,
      stdout: '1 match. Add --count 1 to delete them.\n',
    });
    expect(await client.media.count()).toBe(2);
    expect(await run('media', 'rm', 'nonsense')).toMatchObject({ code: 2 });
    expect(await json('media', 'rm', listed[0]!.media_id)).toMatchObject({
      outcome: 'ok',
      counts: { media: 1, files: 1, previews: 1 },
    });
    expect(await json('media', 'verify')).toMatchObject({ job: 'media_sweep', outcome: 'ok' });

    kit.service.context.services.previews.cache.clear();
    await kit.preview('/a');
    expect(await json('cache', 'clear', '--failed')).toMatchObject({ outcome: 'ok', counts: {} });
    expect(await json('cache', 'clear')).toMatchObject({ counts: { previews: 1, media: 2 } });
    expect(await client.previewCache.count()).toBe(0);
  });
});
