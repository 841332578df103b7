import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { openDriver, type DriverDatabase } from '../../src/core/store/sqlite/driver.js';
import { migrate } from '../../src/core/store/migrate.js';
import { createLogger } from '../../src/core/base/logger.js';
import { testEngines } from '../support/store/databases.js';
import { getKeys, postKey, postKeys, type KeyAnswer } from '../support/clients/notary-client.js';
import { startPostgresServer, type PostgresServer } from '../support/store/postgres-server.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { startTestService, type TestService } from '../support/service.js';

const HOUR_MS = 3_600_000;
const K1 = 'ed25519:k1';

const unavailable = (answer: KeyAnswer) => [
  answer.status,
  (JSON.parse(answer.text) as { errcode?: string }).errcode,
  answer.headers.get('retry-after'),
];
const UNAVAILABLE = [503, 'M_UNKNOWN', '5'];
const readiness = async (service: TestService) => (await fetch(`${service.url}/health/ready`)).status;
const liveness = async (service: TestService) => (await fetch(`${service.url}/health/live`)).status;
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
};

describe.runIf(testEngines().includes('postgresql'))('while PostgreSQL is gone', () => {
  let authority: TestAuthority;
  let server: PostgresServer;
  let service: TestService;
  let known: RemoteServer;
  let unknown: RemoteServer;

  beforeAll(async () => {
    authority = await createTestAuthority();
    server = await startPostgresServer();
    await migrate(
      { engine: 'postgresql', url: server.url(), maxConnections: 2 },
      createLogger({ level: 'silent' }),
    );
    service = await startTestService({
      caPaths: [authority.caPath],
      settings: { database: { engine: 'postgresql', url: server.url(), max_connections: 3 } },
    });
  });
  beforeEach(async () => {
    const validUntilTs = service.clock.now() + 10 * HOUR_MS;
    known = await startRemoteServer(authority, { validUntilTs });
    unknown = await startRemoteServer(authority, { validUntilTs });
  });
  afterEach(() => Promise.all([known.origin.close(), unknown.origin.close()]));
  afterAll(async () => {
    await service.remove();
    await server.remove();
    await authority.remove();
  });

  it('cached keys are answered, others get 503, and all recovers by itself', async () => {
    const { text } = await postKey(service.url, known.serverName);
    await server.stop();

    expect((await postKey(service.url, known.serverName)).text).toBe(text);
    expect((await getKeys(service.url, `query/${known.serverName}`)).text).toBe(text);
    expect((await getKeys(service.url, 'server')).status).toBe(200);
    expect(unavailable(await postKey(service.url, unknown.serverName))).toEqual(UNAVAILABLE);
    expect(unavailable(await getKeys(service.url, `query/${unknown.serverName}`))).toEqual(UNAVAILABLE);
    const criteria = { [K1]: {} };
    const both = { [known.serverName]: criteria, [unknown.serverName]: criteria };
    expect(unavailable(await postKeys(service.url, { server_keys: both }))).toEqual(UNAVAILABLE);
    await until(async () => (await readiness(service)) === 503);
    expect([await liveness(service), unknown.hits()]).toEqual([200, 0]);

    await server.start();
    await until(async () => (await readiness(service)) === 200);
    expect((await postKey(service.url, unknown.serverName)).records).toHaveLength(1);
  });

  it('readiness is 503 within a second while it is frozen, and recovers by itself', async () => {
    await until(async () => (await readiness(service)) === 200);
    server.freeze();
    try {
      await until(async () => {
        const startMs = performance.now();
        const status = await readiness(service);
        expect(performance.now() - startMs).toBeLessThan(1000);
        return status === 503;
      });
    } finally {
      server.thaw();
    }
    await until(async () => (await readiness(service)) === 200);
  });
});

describe('while another process holds the SQLite file', () => {
  let authority: TestAuthority;
  let service: TestService;
  let other: DriverDatabase;
  let known: RemoteServer;
  let unknown: RemoteServer;

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startTestService({ engine: 'sqlite', caPaths: [authority.caPath] });
    const { databaseOptions } = service.context.parts;
    if (databaseOptions.engine !== 'sqlite') throw new Error('wrong engine');
    other = openDriver(databaseOptions.path, 0);
    const validUntilTs = service.clock.now() + 10 * HOUR_MS;
    known = await startRemoteServer(authority, { validUntilTs });
    unknown = await startRemoteServer(authority, { validUntilTs });
  });
  afterAll(async () => {
    other.close();
    await service.remove();
    await Promise.all([known.origin.close(), unknown.origin.close()]);
    await authority.remove();
  });

  it('stored keys are answered, stale ones too; what cannot be stored is 503, and comes once it is free', async () => {
    const { text } = await postKey(service.url, known.serverName);
    other.exec('BEGIN EXCLUSIVE');
    service.context.services.keys.cache.clear();
    expect((await getKeys(service.url, `query/${known.serverName}`)).text).toBe(text);

    service.clock.advance(9 * HOUR_MS);
    const criteria = { [K1]: {} };
    const [stale, absent, both] = await Promise.all([
      postKey(service.url, known.serverName),
      postKey(service.url, unknown.serverName),
      postKeys(service.url, {
        server_keys: { [known.serverName]: criteria, [unknown.serverName]: criteria },
      }),
    ]);
    expect(stale.text).toBe(text);
    expect([absent, both].map(unavailable)).toEqual([UNAVAILABLE, UNAVAILABLE]);
    expect(await liveness(service)).toBe(200);

    other.exec('ROLLBACK');
    expect((await postKey(service.url, unknown.serverName)).records).toHaveLength(1);
  });
});
