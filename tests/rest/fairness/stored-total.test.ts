import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../src/core/base/clock.js';
import { postKey } from '../../support/clients/notary-client.js';
import { healthLine } from '../../support/health-line.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { testEngines } from '../../support/store/databases.js';
import { setNotary } from '../../support/world.js';

const TOTAL_BYTES = 64n * 1024n ** 3n;
/** Of each server by default; the row of this one has 1434 bytes. */
const RESERVED_FETCHES = 10;
const ALL = { domain: '*' };

describe.each(testEngines())('what is stored of all domains together, on %s', (engine) => {
  let remote: RemoteServer;
  const { authority, service } = setNotary({ engine });

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + HOUR_MS });
  });
  afterAll(() => remote.origin.close());

  it('counts the rows of a server with its record, and ends at the total: then those of others come from memory, and it is renewed', async () => {
    const { client } = service.context.parts.database;
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    const used = await client.domainUsage.findUnique({ where: ALL });
    expect(used).toMatchObject({ servers: 1n });
    const ofDomain = await client.domainUsage.findFirst({ where: { NOT: ALL } });
    // What its fetches take in any case is reserved of the domain alone.
    expect(Number((ofDomain?.bytes ?? 0n) - (used?.bytes ?? 0n))).toBeGreaterThan(RESERVED_FETCHES * 1434);

    await client.domainUsage.update({ where: ALL, data: { bytes: TOTAL_BYTES } });
    const other = await startRemoteServer(authority, { validUntilTs: service.clock.now() + HOUR_MS });
    expect((await postKey(service.url, other.serverName)).records).toHaveLength(1);
    await other.origin.close();
    expect((await postKey(service.url, other.serverName)).records).toHaveLength(1);
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    expect(await client.remoteServer.count()).toBe(1);

    const records = await client.keyRecord.count();
    service.clock.advance(HOUR_MS);
    remote.publish({ validUntilTs: service.clock.now() + HOUR_MS });
    await postKey(service.url, remote.serverName);
    await expect.poll(() => client.keyRecord.count()).toBe(records + 1);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_key_records_not_stored_total{bound="total"} 1');
    expect(service.logs).toContainEqual(expect.objectContaining({ level: 'warn', bound: 'total' }));
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/federation\.max_stored_bytes,/) as string,
    });
  });
});
