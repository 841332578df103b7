import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../src/core/base/clock.js';
import { postKey, postKeys } from '../../support/clients/notary-client.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { testEngines } from '../../support/store/databases.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const KEPT_SERVERS = 100;
const FAILURES = 8;
const KEPT_ATTEMPTS = 10;
const ATTEMPTS = 15;

describe.each(testEngines())('rows of servers that never answered, on %s', (engine) => {
  let dns: DnsServer;
  let names: SystemNames;
  let service: TestService;

  beforeEach(async () => {
    dns = await startDnsServer({ '*.gone.example': { A: ['127.0.0.1'] } });
    names = await createSystemNames([dns.address]);
    service = await startTestService({ engine, dnsFiles: names.files });
  });
  afterEach(async () => {
    await service.remove();
    await names.remove();
    await dns.close();
  });

  const client = () => service.context.parts.database.client;
  const kept = async (): Promise<string[]> => {
    const rows = await client().remoteServer.findMany({ orderBy: { serverName: 'asc' } });
    return rows.map(({ serverName }) => serverName);
  };

  it('go with those of their oldest when a newer server takes its place', async () => {
    await postKey(service.url, 'first.gone.example');
    service.clock.advance(1);
    const others = Array.from({ length: KEPT_SERVERS - 1 }, (_, at) => `n${at}.gone.example`);
    // A query may have a few fetches fail.
    for (let at = 0; at < others.length; at += FAILURES) {
      const some = others.slice(at, at + FAILURES).map((name) => [name, { 'ed25519:k': {} }]);
      await postKeys(service.url, { server_keys: Object.fromEntries(some) as object });
    }
    expect(await kept()).toHaveLength(KEPT_SERVERS);
    await postKey(service.url, 'new.gone.example');

    expect(await kept()).toHaveLength(KEPT_SERVERS);
    expect(await kept()).toContain('new.gone.example');
    expect(await client().keyFetch.count({ where: { serverName: 'first.gone.example' } })).toBe(0);
    // One server a second takes the place of another.
    await postKey(service.url, 'newer.gone.example');
    expect(await kept()).not.toContain('newer.gone.example');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_key_fetch_counted_total 1');
  });

  it('keep the latest ten attempts', async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await postKey(service.url, 'n1.gone.example:8448');
      service.clock.advance(HOUR_MS);
    }

    const fetches = await client().keyFetch.findMany({ orderBy: { id: 'asc' } });
    expect(fetches).toHaveLength(KEPT_ATTEMPTS);
    expect(Number(fetches.at(-1)?.startedTs)).toBe(service.clock.now() - HOUR_MS);
  });
});
