import { readdirSync } from 'node:fs';

import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';

import { acceptKeyRecord } from '../../src/core/notary/key-record/key-record.js';
import { inTransaction } from '../../src/core/store/db.js';
import { KeyStore } from '../../src/core/notary/keys/key-store.js';
import { updateSummaries } from '../../src/core/notary/keys/saving/record-rows.js';
import { makeKeyRecord, makeTestKey } from '../support/origins/key-record-maker.js';
import { testEngines } from '../support/store/databases.js';
import { storePages } from '../support/stored-pages.js';
import type { TestService } from '../support/service.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

const canRun = findChromium() !== null && testEngines().includes('postgresql');

/** A stored preview that cannot be deleted until it is released. */
interface Held {
  release: () => Promise<void>;
}

/** Holds the one at this place of the list, newest first. */
async function hold({ context }: TestService, place: number): Promise<Held> {
  const { databaseOptions, database } = context.parts;
  if (databaseOptions.engine !== 'postgresql') throw new Error('only PostgreSQL locks rows');
  const [row] = await database.client.previewCache.findMany({
    orderBy: { id: 'desc' },
    skip: place,
    take: 1,
  });
  const client = new Client({ connectionString: databaseOptions.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM preview_cache WHERE id = $1 FOR UPDATE', [row?.id]);
  return { release: () => client.end() };
}

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

/** Servers with so many keys each, in records of 30. */
async function storeServers({ context, clock }: TestService, keyCounts: readonly number[]): Promise<void> {
  const { database } = context.parts;
  const nowTs = clock.now();
  const servers = keyCounts.map((count, index) => ({ serverName: `server-${index}.many.example`, count }));
  await database.client.remoteServer.createMany({
    data: servers.map(({ serverName }) => ({
      serverName,
      firstAskedTs: nowTs,
    })),
  });
  const keyStore = new KeyStore(database);
  await inTransaction(database, async (open) => {
    for (const { serverName, count } of servers) {
      for (let first = 0; first < count; first += 30) {
        const keys = Array.from({ length: Math.min(30, count - first) }, (_, at) =>
          makeTestKey(`a_${first + at}`),
        );
        const fetchedTs = nowTs + first;
        const published = makeKeyRecord({ serverName, keys, validUntilTs: nowTs + 86_400_000 });
        const record = acceptKeyRecord(published, serverName, POLICY);
        await keyStore.saveAll(open, [{ record, published, fetchedTs }]);
      }
    }
    await updateSummaries(
      open.tx,
      servers.map(({ serverName }) => serverName),
    );
  });
}

/** Two rows are held so that the run stands still where the bar can be looked at. */
describe.skipIf(!canRun)('deleting many', () => {
  const stage = setStage({ engine: 'postgresql' });
  const held: Held[] = [];
  afterEach(async () => {
    for (const { release } of held.splice(0)) await release();
    // What a failed test has left would be in the way of the next.
    const { client } = stage.world.service.context.parts.database;
    await client.previewCache.deleteMany();
    await client.media.deleteMany();
  });

  it('of 2,000 previews shows a moving bar that survives a reload, ends with counts, and leaves no file', async () => {
    const { service } = stage.world;
    await storePages(service, 2000);
    held.push(await hold(service, 450), await hold(service, 1450));
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews');
    await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
    await page.getByRole('button', { name: 'Tick all 2,000 previews that match' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete all 2,000 previews that match?' });
    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('2000');
    await button.click();

    const run = page.getByRole('dialog', { name: 'Run' });
    const bar = run.getByRole('progressbar', { name: 'Progress of Delete previews' });
    const percent = async () => Number(await bar.getAttribute('aria-valuenow'));
    await expect.poll(percent).toBeGreaterThanOrEqual(20);
    const before = await percent();
    expect(before).toBeLessThan(30);
    await held.shift()?.release();
    await expect.poll(percent).toBeGreaterThanOrEqual(70);
    await page.reload();
    await expect.poll(percent).toBeGreaterThanOrEqual(70);
    expect(await percent()).toBeLessThan(80);
    await held.shift()?.release();

    await bar.waitFor({ state: 'detached' });
    const counts = run.getByRole('list').filter({ hasText: 'freed' });
    expect((await counts.getByRole('listitem').allTextContents()).toSorted()).toEqual([
      '2,000 files',
      '2,000 media',
      '2,000 previews',
      '7.81 KiB freed',
    ]);
    const left = readdirSync(service.context.config.media_store_path, { recursive: true }).map(String);
    expect(left.filter((name) => name !== 'tmp')).toEqual(['url_cache']);
    await run.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Previews' }).click();
    await page.getByText('Nothing cached').waitFor();
  });

  it('of a few previews asks for no typing, names their number, and a cancelled dialog deletes nothing', async () => {
    const { service } = stage.world;
    await storePages(service, 3);
    const { client } = service.context.parts.database;
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews');
    await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 previews?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await client.previewCache.count()).toBe(3);

    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();

    await page.getByRole('alert').filter({ hasText: 'Deleted 3 previews' }).waitFor();
    expect(await client.previewCache.count()).toBe(0);
  });

  it('of key records names servers, counts records, asks for their number, and takes all of them', async () => {
    const { service } = stage.world;
    await storeServers(service, [60, 120, 1, 1, 1, 1, 1]);
    const { client } = service.context.parts.database;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/keys?q=many.example');
    await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
    await page.getByRole('button', { name: 'Delete records…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 185 key records of 7 servers?' });
    await dialog.getByText('and 2 more').waitFor();
    const names = await dialog.getByRole('listitem').allTextContents();
    expect(names).toHaveLength(5);
    expect(await visitor.violations()).toEqual([]);
    for (const name of names) expect(name).toMatch(/^server-\d\.many\.example$/);
    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('185');
    await button.click();

    await page.getByRole('alert').filter({ hasText: 'Deleted 185 key records' }).waitFor();
    const left = { where: { serverName: { endsWith: '.many.example' } } };
    expect([await client.keyRecord.count(left), await client.verifyKey.count(left)]).toEqual([0, 0]);
  });
});
