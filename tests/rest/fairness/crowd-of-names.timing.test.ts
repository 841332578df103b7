import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { slowness } from '../../support/machine-speed.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const NAMES = 1000;
/** What a question may cost the server, and what the client and the DNS server of this test cost beside it. */
const SERVER_MS = 30;
const TEST_MS = 15;

describe('a thousand names that lead nowhere, on default settings', () => {
  let dns: DnsServer;
  let names: SystemNames;
  let service: TestService;
  let questions = 0;

  beforeAll(async () => {
    dns = await startDnsServer();
    names = await createSystemNames([dns.address]);
    service = await startTestService({ dnsFiles: names.files });
  });
  afterAll(async () => {
    await service.remove();
    await names.remove();
    await dns.close();
  });

  const invented = (at: number) => `n${questions}x${at}.example`;
  const blocked = (at: number) => `10.${questions % 256}.${at >> 8}.${at & 255}`;
  const ask = async (nameOf: (at: number) => string) => {
    questions += 1;
    const list = Array.from({ length: NAMES }, (_, at) => nameOf(at));
    return postKeys(service.url, {
      server_keys: Object.fromEntries(list.map((name) => [name, { a: {} }])),
    });
  };
  const cpuMsOf = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await work();
    await delay(300);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };

  it.each([
    ['invented', invented],
    ['blocked', blocked],
  ] as const)('%s: a question costs little', async (_, nameOf) => {
    for (let warm = 0; warm < 5; warm += 1) await ask(nameOf);
    const costs: number[] = [];
    for (let time = 0; time < 5; time += 1) costs.push(await cpuMsOf(() => ask(nameOf)));
    expect(Math.min(...costs)).toBeLessThan((SERVER_MS + TEST_MS) * slowness());
  });
});
