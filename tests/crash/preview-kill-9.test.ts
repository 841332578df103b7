import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AccessTokenStore } from '../../src/core/access/users/access-token-store.js';
import { systemClock } from '../../src/core/base/clock.js';
import { openDatabase } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from '../cli/vidimus.js';
import { sampleImage } from '../core/preview/media/sample-images.js';
import { tagged } from '../rest/clients/preview/preview-kit.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { freePort } from '../support/origins/dns-server.js';
import { seededRandom } from '../support/mutations.js';
import { startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { OWN_NAME } from '../support/service.js';
import { until } from '../composition/two-instances.js';
import { balanceOf, makeOlder, withoutNewMedia } from './media-on-disk.js';

/** Kills; every store statement is the same on both engines, so one of them is tried often; a soak has a hundred. */
const ROUNDS = { sqlite: 12, postgresql: 3 };
const ASKED_PER_ROUND = 24;
const LONGEST_LIFE_MS = 400;
const ORPHAN_AGE_MS = 70 * 60_000;

describe.each(testEngines())('a service killed with -9 while it makes previews, on %s', (engine) => {
  let site: RemoteSite;
  let database: TestDatabase;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let token: string;

  beforeAll(async () => {
    const jpeg = await sampleImage(900, 700).jpeg().toBuffer();
    site = await startRemoteSite();
    const get = site.pages.get.bind(site.pages);
    // Every address is a page of its own with an image of its own.
    site.pages.get = (path) =>
      get(path) ??
      ((_request, response) => {
        const isImage = path.endsWith('.jpg');
        response.writeHead(200, { 'content-type': isImage ? 'image/jpeg' : 'text/html' });
        response.end(isImage ? jpeg : tagged({ 'og:title': path, 'og:image': `${path}.jpg` }));
      });
    database = await createTestDatabase(engine);
    folder = await temporaryFolder();
    token = await createTokenIn(database);
  });
  afterAll(async () => {
    await site.close();
    await database.cleanup();
    await folder.remove();
  });

  const mediaFolder = () => join(folder.path, 'media');
  const balance = () => balanceOf(database, mediaFolder());

  const start = async (port = 0) => {
    const { options } = database;
    await writeConfig(folder.path, {
      server_name: OWN_NAME,
      listeners: [{ port, resources: ['previews', 'media', 'health', 'admin'] }],
      media_store_path: mediaFolder(),
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
      database:
        options.engine === 'sqlite'
          ? { engine: 'sqlite', path: options.path }
          : { engine: 'postgresql', url: options.url, max_connections: 5 },
    });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    await running.log('ready');
    return { running, url: await running.url('previews') };
  };

  const ask = async (url: string, path: string): Promise<boolean> => {
    const query = new URLSearchParams({ url: site.url(path) });
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/_svc/media/v3/preview_url?${query.toString()}`, { headers });
    return ((await response.json()) as Record<string, unknown>)['og:title'] === path;
  };

  it('misses no file of a committed row after any kill, and one garbage collection later has no file without a row', async () => {
    const random = seededRandom(20_270_115);
    let answered = 0;
    for (let round = 0; round < ROUNDS[engine]; round += 1) {
      const { running, url } = await start();
      // Warm: the first preview loads the HTTP client and the decoder.
      expect(await ask(url, `/${round}/warm`)).toBe(true);
      answered += 1;
      const asked = Array.from({ length: ASKED_PER_ROUND }, (_v, index) =>
        ask(url, `/${round}/${index}`).catch(() => false),
      );
      const kill = async (): Promise<void> => {
        running.child.kill('SIGKILL');
        await running.finished;
      };
      // The first kill comes between a file and its row for certain.
      if (round === 0) {
        await withoutNewMedia(database, async () => {
          const isWhole = (file: string) => file.startsWith('url_cache/');
          await until(async () => (await balance()).filesWithoutRow.some(isWhole));
          await kill();
        });
      } else {
        await new Promise<void>((resolve) => {
          setTimeout(resolve, random(LONGEST_LIFE_MS));
        });
        await kill();
      }
      expect((await running.finished).signal).toBe('SIGKILL');
      answered += (await Promise.all(asked)).filter(Boolean).length;
      const { rowsWithoutFile, previewsWithoutMedia } = await balance();
      expect(rowsWithoutFile).toEqual([]);
      expect(previewsWithoutMedia).toEqual([]);
    }

    // A young file, and a lease, may be those of another process.
    await makeOlder(database, mediaFolder(), ORPHAN_AGE_MS);
    const { running } = await start(await freePort());
    const swept = await vidimus(['job', 'run', 'media_sweep', '-c', 'config.yaml'], { cwd: folder.path });
    running.child.kill('SIGKILL');
    await running.finished;
    expect(swept).toMatchObject({ code: 0, stderr: '' });
    const healed = await balance();
    expect(healed.rowsWithoutFile).toEqual([]);
    expect(healed.filesWithoutRow).toEqual([]);
    expect(healed.media).toBeGreaterThanOrEqual(2 * answered);
  });
});

async function createTokenIn({ options }: TestDatabase): Promise<string> {
  const store = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    const tokens = new AccessTokenStore(store, systemClock);
    return (await tokens.create({ userId: '@a:notary.test', label: 'crash', expiresTs: null })).token;
  } finally {
    await store.close();
  }
}
