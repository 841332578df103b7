import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { withMigrationLock } from '../../../src/core/store/migration/lock.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createEmptyDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';
import { pgBouncerMissing, startPgBouncer, type PgBouncer } from '../../support/store/pgbouncer.js';
import { until } from './two-instances.js';

const missing = testEngines().includes('postgresql') ? pgBouncerMissing() : 'skipped: there is no PostgreSQL';

describe.skipIf(missing !== null)(`two instances behind a PgBouncer by transaction ${missing ?? ''}`, () => {
  let folder: string;
  let database: TestDatabase;
  let url: string;
  let pooler: PgBouncer;
  let site: RemoteSite;
  let both: TestService[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-pooled-'));
    database = await createEmptyDatabase('postgresql');
    if (database.options.engine === 'sqlite') throw new Error('no PostgreSQL');
    url = database.options.url;
    pooler = await startPgBouncer(url);
    site = await startRemoteSite();
    const start = (instance: string): Promise<TestService> =>
      startTestService({
        settings: {
          jobs: { instance },
          signing_key_path: join(folder, 'signing.key'),
          media_store_path: join(folder, 'media'),
          database: { engine: 'postgresql', url: pooler.url, look_interval: '200ms' },
        },
      });
    both = await Promise.all([start('first'), start('second')]);
  });
  afterAll(async () => {
    await Promise.all((both ?? []).map((service) => service.remove()));
    await pooler?.remove();
    await database?.cleanup();
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('their first starts have migrated it once, and no lock is left behind on a lent connection', async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const locks: unknown[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      await withMigrationLock(
        { engine: 'postgresql', url: pooler.url, maxConnections: 1 },
        async () => undefined,
      );
      const { rows } = await client.query(
        `SELECT * FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      locks.push(...rows);
    }
    const { rows: named } = await client.query('SELECT COUNT(*) AS runs FROM _prisma_migrations');
    await client.end();

    expect(locks).toEqual([]);
    expect(Number(named[0].runs)).toBeGreaterThan(0);
  });

  it('many previews at once are made and found, on connections that are never the same', async () => {
    const [first, second] = both;
    const token = await createToken(first!);
    const paths = Array.from({ length: 24 }, (_, index) => `/page-${index}`);
    for (const path of paths) site.pages.set(path, page(`<title>${path}</title>`));

    const asked = paths.flatMap((path) => both.map((one) => preview(one, token, site.url(path))));
    const answers = await Promise.all(asked);
    const again = await Promise.all(paths.map((path) => preview(second!, token, site.url(path))));

    expect([...answers, ...again].filter(({ status }) => status !== 200)).toEqual([]);
    expect(site.hits.filter(({ path }) => path.startsWith('/page-'))).toHaveLength(paths.length);
  });

  it('what one changes the other finds when it looks', async () => {
    const [first, second] = both;
    const { tokens } = first!.context.access;
    const { token, info } = await tokens.create({ userId: '@bob:notary.test', label: '', expiresTs: null });
    expect((await preview(second!, token, site.url('/page-1'))).status).toBe(200);

    await tokens.revoke(info.id);

    await until(async () => (await preview(second!, token, site.url('/page-1'))).status === 401);
  });

  it('the log and the health list say what is done without', async () => {
    const [first] = both;
    const { checks } = await first!.context.services.overview.overview.health();

    expect(checks.find(({ key }) => key === 'instances')).toMatchObject({
      state: 'ok',
      message:
        'second beside this one; what they change is heard when it looks next: a pooler in front of the database lends connections out.',
    });
    expect(first!.logs.filter(({ reason }) => reason === 'store_pooled')).toHaveLength(1);
  });
});
