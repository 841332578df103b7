import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HOUR_MS, SECOND_MS } from '../../src/core/base/clock.js';
import { getKeys } from '../support/clients/notary-client.js';
import { createToken, preview } from '../support/clients/preview-client.js';
import { createTestAuthority, type TestAuthority } from '../support/origins/remote-server.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { startTestService, type TestService } from '../support/service.js';
import { testEngines } from '../support/store/databases.js';
import { startPostgresServer, type PostgresServer } from '../support/store/postgres-server.js';
import { until } from './two-instances.js';

describe.runIf(testEngines().includes('postgresql'))('two instances on a PostgreSQL of their own', () => {
  let folder: string;
  let server: PostgresServer;
  let first: TestService;
  let second: TestService;
  let site: RemoteSite;
  let authority: TestAuthority;
  let token: string;

  /** What an empty database and an empty folder make of two starts at the same moment. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-both-'));
    server = await startPostgresServer();
    site = await startRemoteSite();
    authority = await createTestAuthority();
    const start = (instance: string): Promise<TestService> =>
      startTestService({
        caPaths: [authority.caPath],
        settings: {
          jobs: { instance },
          signing_key_path: join(folder, 'signing.key'),
          media_store_path: join(folder, 'media'),
          database: { engine: 'postgresql', url: server.url() },
        },
      });
    [first, second] = await Promise.all([start('first'), start('second')]);
    token = await createToken(first);
  });
  afterAll(async () => {
    await Promise.all([first.remove(), second.remove()]);
    await Promise.all([server.remove(), site.close(), authority.remove()]);
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (service: TestService, path: string) => preview(service, token, site.url(path));

  it('both have come up with one identity', async () => {
    const answers = await Promise.all([first, second].map(({ url }) => getKeys(url, 'server')));
    const bodies = answers.map(({ text }) => JSON.parse(text) as { verify_keys: object });

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(bodies[0]?.verify_keys).toEqual(bodies[1]?.verify_keys);
    const keys = [first, second].map(({ context }) => context.services.log.status?.key.verifierKey);
    expect(keys[0]).toBeDefined();
    expect(keys[0]).toBe(keys[1]);
  });

  it('a known preview is answered while the database is away, for a token that was just verified', async () => {
    site.pages.set('/known', page('<title>Known</title>'));
    expect((await ask(first, '/known')).body['og:title']).toBe('Known');
    const stranger = await createToken(first, '@eve:notary.test');
    await server.stop();
    first.clock.advance(60 * SECOND_MS);

    expect((await ask(first, '/known')).body['og:title']).toBe('Known');
    expect((await preview(first, stranger, site.url('/known'))).status).toBe(503);
    expect((await ask(first, '/unknown')).status).toBe(503);
    first.clock.advance(HOUR_MS);
    expect((await ask(first, '/known')).status).toBe(503);
  });

  it('what was said before a connection is back is heard then', async () => {
    await server.start();
    await until(async () => (await ask(first, '/known')).status === 200);
    // Every 30 s they make sure themselves that they hear each other.
    for (const { context } of [first, second]) await context.services.instances.messages.beat();
    const made = await first.context.access.tokens.create({
      userId: '@c:notary.test',
      label: '',
      expiresTs: null,
    });
    expect((await preview(first, made.token, site.url('/known'))).status).toBe(200);

    await second.context.access.tokens.revoke(made.info.id);

    await until(async () => (await preview(first, made.token, site.url('/known'))).status === 401);
  });
});
