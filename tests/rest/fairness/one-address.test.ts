import net from 'node:net';

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { DAY_MS, MINUTE_MS } from '../../../src/core/base/clock.js';
import { postKeys, type KeyAnswer } from '../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { startDnsServer, type DnsServer } from '../../support/origins/dns-server.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { healthLine } from '../../support/health-line.js';
import { startTestService, type TestService } from '../../support/service.js';
import { createSystemNames, type SystemNames } from '../../support/system-names.js';

const VICTIMS = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14'] as const;
/** Of so many letters that there are more spellings than are asked for. */
const hostAt = (address: string): string => `wellknownvictim-${address.split('.').at(-1)}.example`;
const FIRST_CONNECTIONS = 8;
const SPELLINGS = 2000;
/** Servers of as many domains, at each victim. */
const SERVERS_AT = new Map(
  VICTIMS.slice(0, 3).map((address, victim) => [
    address,
    Array.from({ length: SPELLINGS }, (_, at) => `victim${victim}-s${at}.example`),
  ]),
);
const STEP_MS = 250;
/** For what is under way to come as far as it can; it takes a dozen. */
const MOST_TURNS = 10_000;

let dns: DnsServer;
let names: SystemNames;
let authority: TestAuthority;
let service: TestService;

beforeAll(async () => {
  dns = await startDnsServer();
  for (const address of VICTIMS) dns.zones.set(hostAt(address), { A: [address] });
  names = await createSystemNames([dns.address]);
  authority = await createTestAuthority();
  const hosts = Object.fromEntries(
    Array.from(SERVERS_AT, ([address, servers]) =>
      servers.map((server) => [server, [address]] as const),
    ).flat(),
  );
  const settings = { dns: { hosts } };
  service = await startTestService({ dnsFiles: names.files, caPaths: [authority.caPath], settings });
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await service.remove();
  await authority.remove();
  await names.remove();
  await dns.close();
});

const questionOf = (serverNames: readonly string[]) => ({
  server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
});

/** Spellings of one name, told apart by which of its letters are capital. */
const spelled = (name: string, at: number): string =>
  Array.from(name, (letter, index) => ((at >> index) & 1 ? letter.toUpperCase() : letter)).join('');

/** Something that is no key server, and how often it was bothered. */
const startVictim = async (address: string, onConnection: (socket: net.Socket) => void) => {
  const open = new Set<net.Socket>();
  const seen = {
    total: 0,
    most: 0,
    get open() {
      return open.size;
    },
  };
  const server = net.createServer((socket) => {
    seen.total += 1;
    open.add(socket);
    seen.most = Math.max(seen.most, open.size);
    socket.on('error', () => {});
    socket.resume().once('close', () => open.delete(socket));
    onConnection(socket);
  });
  const port = await listenOnFreshPort(server, address);
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { port, seen, close };
};

/** Fetches running and waiting. */
async function fetches(): Promise<{ running: number; waiting: number }> {
  const { registry } = service.context.parts.metrics;
  const valueOf = async (name: string): Promise<number> => {
    const figure = (await registry.getSingleMetric(name)?.get())?.values[0];
    if (figure === undefined) throw new Error(`there is no figure ${name}`);
    return figure.value;
  };
  return {
    running: await valueOf('vidimus_key_fetches_running'),
    waiting: await valueOf('vidimus_key_fetches_waiting'),
  };
}

/** Lets so much time pass for timers, and what has come meanwhile be read. */
async function moved(ms: number): ReturnType<typeof fetches> {
  vi.advanceTimersByTime(ms);
  await new Promise(setImmediate);
  return fetches();
}

const spellingsOf = (host: string, port: number): string[] =>
  Array.from({ length: SPELLINGS }, (_, at) => `${spelled(host, at)}:${port}`);

/**
 * Asks for 2,000 names in four questions, and goes on until nothing of it is left. The minute that this takes passes
 * by timers of ours: each time the fetches under way have come as far as they can, which `heldNow` tells, they are moved.
 */
async function askFourTimes(asked: readonly string[], heldNow: () => number): Promise<KeyAnswer[]> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  expect(new Set(asked).size).toBe(SPELLINGS);
  const questions = [0, 1, 2, 3].map((at) => asked.slice((at * SPELLINGS) / 4, ((at + 1) * SPELLINGS) / 4));
  const answers = Promise.all(questions.map((asked) => postKeys(service.url, questionOf(asked))));
  let left = await moved(1);
  for (let passedMs = 1; left.waiting < SPELLINGS / 2; left = await moved(1)) {
    expect((passedMs += 1)).toBeLessThan(MINUTE_MS);
  }
  for (let passedMs = 0; left.running + left.waiting > 0; passedMs += STEP_MS) {
    expect(passedMs).toBeLessThan(2 * MINUTE_MS);
    for (let turns = 0; left.running !== heldNow(); turns += 1) {
      expect(turns).toBeLessThan(MOST_TURNS);
      left = await moved(0);
    }
    left = await moved(STEP_MS);
  }
  return answers;
}

describe('four questions with 2,000 spellings of one name, on default settings, until none waits any more', () => {
  it.each([
    ['stays silent', VICTIMS[0], () => {}],
    ['closes at once', VICTIMS[1], (socket: net.Socket) => socket.destroy()],
  ])('open few connections to an address that %s', async (_what, address, onConnection) => {
    const victim = await startVictim(address, onConnection);
    await askFourTimes(spellingsOf(hostAt(address), victim.port), () => victim.seen.open);
    victim.close();

    expect(victim.seen.most).toBeLessThanOrEqual(FIRST_CONNECTIONS + 1);
    expect(victim.seen.total).toBeLessThan(3 * FIRST_CONNECTIONS);
  });

  it('open few connections to a server that answers for its own name', async () => {
    const host = hostAt(VICTIMS[2]);
    const certificate = await authority.leaf({ names: [host] });
    const origin = await startKeyOrigin({ certificate, address: VICTIMS[2], respond: respondJson('{}') });
    const validUntilTs = service.clock.now() + DAY_MS;
    const record = { serverName: `${host}:${origin.port}`, keys: [makeTestKey('k1')], validUntilTs };
    origin.respond = respondJson(makeKeyRecord(record));
    const [first] = await askFourTimes(spellingsOf(host, origin.port), () => 0);
    await origin.close();

    expect(first?.records.map((answered) => answered.server_name)).toEqual([record.serverName]);
    expect(origin.connections).toBeLessThan(3 * FIRST_CONNECTIONS);
  });

  it('open few connections to a server that is known in several of them, and fails', async () => {
    const host = hostAt(VICTIMS[3]);
    const certificate = await authority.leaf({ names: [host] });
    const keys = [makeTestKey('k1')];
    const validUntilTs = service.clock.now() + DAY_MS;
    const origin = await startKeyOrigin({ certificate, address: VICTIMS[3], respond: respondJson('{}') });
    origin.respond = (request, response) => {
      const serverName = request.headers.host ?? '';
      respondJson(makeKeyRecord({ serverName, keys, validUntilTs }))(request, response);
    };
    const asked = Array.from({ length: FIRST_CONNECTIONS }, (_, at) => `${spelled(host, at)}:${origin.port}`);
    expect((await postKeys(service.url, questionOf(asked))).records).toHaveLength(asked.length);
    const where = { serverName: { in: asked }, lastOkTs: { not: null } };
    const known = await service.context.parts.database.client.remoteServer.count({ where });
    service.clock.advance(2 * DAY_MS);
    origin.respond = (request) => void request.socket.destroy();
    const { connections: before } = origin;
    await askFourTimes(spellingsOf(host, origin.port), () => 0);
    await origin.close();

    expect(known).toBe(4);
    // What it has answered counts for it, once.
    expect(origin.connections - before).toBeLessThan(asked.length + 3 * FIRST_CONNECTIONS);
  });
});

describe('four questions with 2,000 servers of as many domains at one address, on default settings', () => {
  it.each([
    ['stays silent', VICTIMS[0], () => {}],
    ['closes at once', VICTIMS[1], (socket: net.Socket) => socket.destroy()],
  ])('open few connections when it %s (N-102)', async (_what, address, onConnection) => {
    // What is remembered of the address is lost then.
    service = await service.restart();
    const victim = await startVictim(address, onConnection);
    const asked = (SERVERS_AT.get(address) ?? []).map((server) => `${server}:${victim.port}`);
    await askFourTimes(asked, () => victim.seen.open);
    victim.close();

    expect(victim.seen.most).toBeLessThanOrEqual(FIRST_CONNECTIONS + 1);
    expect(victim.seen.total).toBeLessThan(3 * FIRST_CONNECTIONS);
  });

  it('open fewer than 500 when it answers for a name of its own alone (N-102)', async () => {
    service = await service.restart();
    const address = VICTIMS[2];
    const own = hostAt(address);
    const certificate = await authority.leaf({ names: [own] });
    const origin = await startKeyOrigin({ certificate, address, respond: respondJson('{}') });
    // No key record, and an answer all the same.
    await postKeys(service.url, questionOf([`${own}:${origin.port}`]));
    const { connections: before } = origin;
    expect(before).toBeGreaterThan(0);
    const asked = (SERVERS_AT.get(address) ?? []).map((server) => `${server}:${origin.port}`);
    await askFourTimes(asked, () => 0);
    await origin.close();

    expect(origin.connections - before).toBeLessThan(500);
    const message = (await healthLine(service, 'limits'))?.message;
    expect(message).toContain('too many failures at an address that answers');
    // No setting has a say in it.
    expect(message).not.toContain('silent_address_pause');
  });
});

it('a fetch that waits longer than federation.max_fetch_wait is given up', async () => {
  const victim = await startVictim(VICTIMS[0], () => {});
  const one = {
    max_concurrent_fetches: 1,
    max_concurrent_fetches_per_query: 1,
    max_concurrent_fetches_per_asker: 1,
    max_concurrent_fetches_per_domain: 1,
  };
  service = await service.restart({ federation: { ...one, max_fetch_wait: '100ms' } });
  const asked = [0, 1].map((at) => `${spelled(hostAt(VICTIMS[0]), at)}:${victim.port}`);
  const answered = postKeys(service.url, questionOf(asked));
  const metrics = async (): Promise<string> => await (await fetch(`${service.url}/metrics`)).text();

  await expect.poll(metrics).toContain('vidimus_key_fetch_bound_total{bound="waiting"} 1');
  victim.close();
  await answered;
});
