import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postKeys } from '../../support/clients/notary-client.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';
import { medianOf, undisturbedMs } from '../../support/undisturbed.js';
import type { OriginOrder } from './origin-process.js';

const SERVERS = 100;
const ROUNDS = 5;
const LIMIT_MS = 1000;
const PROCESS = fileURLToPath(new URL('origin-process.ts', import.meta.url));

let dns: DnsServer;
let names: SystemNames;
let authority: TestAuthority;
let service: TestService;

beforeAll(async () => {
  dns = await startDnsServer();
  names = await createSystemNames([dns.address]);
  authority = await createTestAuthority();
  service = await startTestService({ dnsFiles: names.files, caPaths: [authority.caPath] });
});
afterAll(async () => {
  await service.remove();
  await authority.remove();
  await names.remove();
  await dns.close();
});

async function startOrigin(order: OriginOrder): Promise<{ port: number; child: ChildProcess }> {
  const child = fork(PROCESS, { execArgv: ['--import', 'tsx'] });
  const ready = once(child, 'message');
  child.send(order);
  const [port] = (await ready) as [number];
  return { port, child };
}

/** Asks for a hundred servers at an address that was never asked; returns how long that took. */
const askAt = async (address: string): Promise<number> => {
  const hosts = Array.from({ length: SERVERS }, (_, at) => `good-${at}.at-${address}.example`);
  for (const host of hosts) dns.zones.set(host, { A: [address] });
  const certificate = await authority.leaf({ names: hosts });
  const { port, child } = await startOrigin({ address, certificate, nowTs: service.clock.now() });
  const asked = hosts.map((host) => [`${host}:${port}`, { 'ed25519:k1': {} }]);
  const pids = [process.pid, child.pid!];
  const tookMs = await undisturbedMs(async () => {
    const answer = await postKeys(service.url, { server_keys: Object.fromEntries(asked) });
    expect(answer.records).toHaveLength(SERVERS);
  }, pids);
  child.disconnect();
  return tookMs;
};

describe('a hundred servers behind one address, on default settings', () => {
  it('come in one question below a second', async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await askAt(`127.0.0.${20 + round}`));

    expect(medianOf(times)).toBeLessThan(LIMIT_MS);
  });
});
