import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { testEngines } from '../support/store/databases.js';
import { getKeys, postKey } from '../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../support/origins/remote-server.js';
import { setNotary } from '../support/world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const QUERY_TIMEOUT_MS = 600;
/** Far below the 30 seconds after which the database itself gives up. */
const SOON_MS = QUERY_TIMEOUT_MS + 5000;

describe.runIf(testEngines().includes('postgresql'))('while the store takes questions and is silent', () => {
  const { authority, service } = setNotary({
    engine: 'postgresql',
    settings: { federation: { key_query_timeout: `${QUERY_TIMEOUT_MS}ms` } },
  });
  let other: Client;
  let remote: RemoteServer;

  beforeAll(async () => {
    const { databaseOptions } = service.context.parts;
    if (databaseOptions.engine !== 'postgresql') throw new Error('this is about PostgreSQL');
    other = new Client({ connectionString: databaseOptions.url });
    await other.connect();
  });
  beforeEach(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 10 * HOUR_MS });
  });
  afterEach(async () => {
    await other.query('ROLLBACK');
    await remote.origin.close();
  });
  afterAll(() => other.end());

  const silence = async (table: string) => {
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  };
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const startMs = performance.now();
    const result = await work;
    expect(performance.now() - startMs).toBeLessThan(SOON_MS);
    return result;
  };

  it('a question about a server nobody remembers is 503 by the deadline', async () => {
    await silence('key_record');
    const answer = await timed(postKey(service.url, remote.serverName));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await timed(getKeys(service.url, `query/${remote.serverName}`))).status).toBe(503);
    await other.query('ROLLBACK');
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
  });

  it('a stale record is answered by the deadline when the fetched one cannot be stored', async () => {
    const { text } = await postKey(service.url, remote.serverName);
    service.clock.advance(6 * HOUR_MS);
    remote.publish({ validUntilTs: service.clock.now() + 10 * HOUR_MS });
    await silence('verify_key');
    expect((await timed(postKey(service.url, remote.serverName))).text).toBe(text);
    await other.query('ROLLBACK');
    await service.context.services.keys.refresher.settle();
    const { records } = await postKey(service.url, remote.serverName);
    expect(records[0]?.valid_until_ts).toBe(service.clock.now() + 10 * HOUR_MS);
  });
});
