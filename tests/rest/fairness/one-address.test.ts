import net from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys, type KeyAnswer } from '../../support/clients/notary-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';

const VICTIMS = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14'] as const;
/** Of so many letters that there are more spellings than are asked for. */
const hostAt = (address: string): string => `wellknownvictim-${address.split('.').at(-1)}.example`;
const PER_ADDRESS = 32;
const SPELLINGS = 2000;
/** Servers of as many domains, at each victim. */
const SERVERS_AT = new Map(
  VICTIMS.slice(0, 3).map((address, victim) => [
    address,
    Array.from({ length: SPELLINGS }, (_, at) => `victim${victim}-s${at}.example`),
  ]),
);

const world = setWorld();
let service: TestService;

beforeAll(async () => {
  for (const address of VICTIMS) world.dns.zones.set(hostAt(address), { A: [address] });
  const hosts = Object.fromEntries(
    Array.from(SERVERS_AT, ([address, servers]) =>
      servers.map((server) => [server, [address]] as const),
    ).flat(),
  );
  const settings = { dns: { hosts }, federation: { key_fetch_timeout: '1s' } };
  service = await startTestService({
    dnsFiles: world.names.files,
    caPaths: [world.authority.caPath],
    settings,
  });
});
afterAll(() => service.remove());

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

const spellingsOf = (host: string, port: number): string[] =>
  Array.from({ length: SPELLINGS }, (_, at) => `${spelled(host, at)}:${port}`);

/** Asks for 2,000 names in four questions, and waits until nothing of it is under way. */
async function askFourTimes(asked: readonly string[]): Promise<KeyAnswer[]> {
  expect(new Set(asked).size).toBe(SPELLINGS);
  const questions = [0, 1, 2, 3].map((at) => asked.slice((at * SPELLINGS) / 4, ((at + 1) * SPELLINGS) / 4));
  const answers = await Promise.all(questions.map((asked) => postKeys(service.url, questionOf(asked))));
  await service.context.services.keys.refresher.settle();
  return answers;
}

describe('four questions with 2,000 spellings of one name', () => {
  it.each([
    ['stays silent', VICTIMS[0], () => {}],
    ['closes at once', VICTIMS[1], (socket: net.Socket) => socket.destroy()],
  ])('open few connections to an address that %s', async (_what, address, onConnection) => {
    const victim = await startVictim(address, onConnection);
    await askFourTimes(spellingsOf(hostAt(address), victim.port));
    victim.close();

    expect(victim.seen.most).toBeLessThanOrEqual(PER_ADDRESS);
    expect(victim.seen.total).toBeLessThan(3 * PER_ADDRESS);
  });

  it('open few connections to a server that answers for its own name', async () => {
    // The failures that this client may cause have been used up.
    service = await service.restart();
    const host = hostAt(VICTIMS[2]);
    const certificate = await world.authority.leaf({ names: [host] });
    const origin = await startKeyOrigin({ certificate, address: VICTIMS[2], respond: respondJson('{}') });
    const validUntilTs = service.clock.now() + DAY_MS;
    const record = { serverName: `${host}:${origin.port}`, keys: [makeTestKey('k1')], validUntilTs };
    origin.respond = respondJson(makeKeyRecord(record));
    const [first] = await askFourTimes(spellingsOf(host, origin.port));
    await origin.close();

    expect(first?.records.map((answered) => answered.server_name)).toEqual([record.serverName]);
    // All but one fail, and a client may cause a hundred failures at once and twenty a second.
    expect(origin.connections).toBeLessThan(SPELLINGS / 2);
  });
});

it('2,000 servers of as many domains open few connections to an address that stays silent', async () => {
  // What is remembered of the address is lost then.
  service = await service.restart();
  const victim = await startVictim(VICTIMS[0], () => {});
  const asked = (SERVERS_AT.get(VICTIMS[0]) ?? []).map((server) => `${server}:${victim.port}`);
  await askFourTimes(asked);
  victim.close();

  expect(victim.seen.most).toBeLessThanOrEqual(PER_ADDRESS);
  expect(victim.seen.total).toBeLessThan(3 * PER_ADDRESS);
});
