import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { healthLine } from '../../support/health-line.js';
import { openRaw, sendRaw, type RawConnection } from '../../support/clients/raw-http.js';
import { createTestAuthority, type TestAuthority } from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { tlsListener } from '../../support/tls-listener.js';

let service: TestService;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await startTestService();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.remove();
});

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';

/** Opens a connection from an address of loopback; resolves with whether it is served. */
function open(localAddress: string): Promise<boolean> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.write(LIVE);
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

async function openMany(localAddress: string, count: number): Promise<number> {
  let served = 0;
  for (let n = 0; n < count; n += 1) served += Number(await open(localAddress));
  return served;
}

const metrics = async (): Promise<string> => await (await fetch(`${service.url}/metrics`)).text();

it('one client may have 1,024 connections, others are served beside him', async () => {
  expect(await openMany('127.0.0.2', 1030)).toBe(1024);

  expect(await open('127.0.0.3')).toBe(true);
  expect(await metrics()).toContain('vidimus_client_bound_total{bound="client_connections"} 6');
  const lines = service.logs.filter(({ bound }) => bound === 'client_connections');
  expect(lines.map(({ level, client }) => ({ level, client }))).toEqual([
    { level: 'warn', client: '127.0.0.2' },
  ]);
});

it('nobody may have more connections than are free', async () => {
  service = await service.restart({ server: { max_connections: 20 } });

  expect(await openMany('127.0.0.2', 30)).toBe(10);
  expect(await openMany('127.0.0.3', 30)).toBe(5);
  expect(await open('127.0.0.4')).toBe(true);
  const checks = await service.context.services.health.look();
  expect(checks).toContainEqual(
    expect.objectContaining({
      id: 'limits',
      state: 'warning',
      message: expect.stringMatching(/Clients, server\.max_connections, \d+ times/) as string,
    }),
  );
});

describe('behind a proxy, where all connections come from one address', () => {
  const listener = {
    port: 0,
    bind_addresses: ['127.0.0.1'],
    resources: ['keys', 'health', 'metrics'],
    x_forwarded: true,
  };

  /** Questions of a client whose bodies never come, each on a connection of its own; how many are not refused. */
  async function begin(client: string, count: number): Promise<number> {
    const head = `POST /_svc/key/v2/query HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n`;
    const asked: RawConnection[] = [];
    for (let n = 0; n < count; n += 1) {
      const connection = openRaw(service.url, `${head}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`);
      sockets.push(connection.socket);
      expect((await connection.answer().catch(() => null))?.status).toBe(100);
      asked.push(connection);
    }
    // What was refused was so with the word to go on: with the next answer it is here.
    await metrics();
    const refused = asked.filter((connection) => connection.received() !== '');
    for (const connection of refused) {
      expect(await connection.answer()).toMatchObject({
        status: 503,
        body: expect.stringContaining('in progress') as string,
      });
      await connection.closed;
    }
    return count - refused.length;
  }

  it('one client may have 1,024 requests under way, others are served beside him', async () => {
    service = await service.restart({ listeners: [listener] });

    expect(await begin('2001:db8::1', 1000)).toBe(1000);
    // Of the same /64.
    expect(await begin('2001:db8::2', 30)).toBe(24);
    expect(await begin('2001:db8:1::1', 1)).toBe(1);
    expect(await metrics()).toContain('vidimus_client_bound_total{bound="client_connections"} 6');
    const lines = service.logs.filter(({ bound }) => bound === 'client_connections');
    expect(lines.map(({ client }) => client)).toEqual(['2001:db8::2']);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => begin('2001:db8::1', 1)).toBe(1);
  });
});

/** Starts the service anew with one listener for TLS. */
async function restartWithTls(server: Record<string, unknown>): Promise<TestAuthority> {
  const authority = await createTestAuthority();
  service = await service.restart({ ...(await tlsListener(authority)), server });
  return authority;
}

it('a TLS handshake that stalls ends with the time for a head', { timeout: 60_000 }, async () => {
  const authority = await restartWithTls({ request_timeout: '1s' });
  // Nothing is ever sent on it.
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket.on('error', () => undefined).resume());
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));

  // Long before the two minutes that Node gives it.
  expect(await closed).toBe('closed');
  expect(await healthLine(service, 'limits')).toMatchObject({
    message: expect.stringContaining('TLS handshakes') as string,
  });
  await authority.remove();
});

it('a connection for TLS counts before its handshake', async () => {
  const authority = await restartWithTls({ max_connections: 4 });
  const port = Number(new URL(service.url).port);
  const openTls = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: authority.caPem }, () => resolve(true));
      sockets.push(socket.once('error', () => resolve(false)).once('close', () => resolve(false)));
    });

  expect([await openTls(), await openTls(), await openTls()]).toEqual([true, true, false]);
  await authority.remove();
});

it('requests sent ahead are answered in order; a connection with too many is reset', async () => {
  const paths = Array.from({ length: 40 }, (_, n) => `/nothing/${n}`);
  const ahead = openRaw(service.url, paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  for (const _ of paths) expect((await ahead.answer()).status).toBe(404);
  ahead.socket.destroy();
  const asked = service.logs.filter(({ msg }) => msg === 'request refused').map(({ target }) => target);
  expect(asked).toEqual(paths);

  const tooMany = openRaw(service.url, LIVE.repeat(1000));
  await tooMany.closed;
  expect(await metrics()).toContain('vidimus_client_bound_total{bound="pipelined"}');
  expect((await sendRaw(service.url, LIVE)).status).toBe(200);
});
