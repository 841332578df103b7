import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { expect, it } from 'vitest';

import { startTestService } from '../support/service.js';
import { metricOf } from '../support/world.js';
import { setUpEach } from '../support/set-up.js';

const QUERY = '/_svc/key/v2/query';
const QUESTION = `GET ${QUERY}/a.example HTTP/1.1\r\nHost: x\r\n\r\n`;
const BODY_BYTES = 500_000;

const service = setUpEach(() =>
  startTestService({
    settings: { federation_domain_whitelist: [], server: { drain_timeout: '100ms' } },
  }),
);

/** A client that closes its side of a connection when it is told to, and not because the service has closed its own. */
interface HalfOpen {
  socket: Socket;
  /** Resolves with all that came when the service has closed its side. */
  ended: Promise<string>;
  /** Sends more, closes its side, and resolves with what went wrong, such as ECONNRESET. */
  sendOn(): Promise<string | null>;
}

async function openHalf(text: string): Promise<HalfOpen> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const errors: string[] = [];
  socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  const ended = once(socket, 'end').then(() => received);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  socket.write(text);
  const write = () => new Promise<void>((resolve) => socket.write(QUESTION, () => resolve()));
  const sendOn = async () => {
    // The first write finds out that nobody reads, the second is told.
    await write();
    await write();
    socket.end();
    await closed;
    return errors[0] ?? null;
  };
  return { socket, ended, sendOn };
}

it('a client that asks on after the last answer of its connection meets no reset', async () => {
  const client = await openHalf(QUESTION.replace('Host', 'Connection: close\r\nHost'));

  expect(await client.ended).toContain('"server_keys":[]');
  expect(await client.sendOn()).toBeNull();
});

it('a body that is on its way when the drain ends gets its 503 in whole', async () => {
  const client = await openHalf(
    `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${'x'.repeat(1000)}`,
  );
  await expect.poll(() => metric('vidimus_body_bytes')).toBeGreaterThan(0);

  const stopped = service.stop();

  expect(await client.ended).toMatch(/^HTTP\/1.1 503 .*"The service is stopping"}$/s);
  expect(await client.sendOn()).toBeNull();
  await stopped;
});

it('a connection that nobody closes is closed a second later', async () => {
  const client = await openHalf(QUESTION.replace('Host', 'Connection: close\r\nHost'));
  await client.ended;

  await expect.poll(() => metric('vidimus_client_connections'), { timeout: 8000 }).toBe(1);
  client.socket.destroy();
});

const metric = (name: string) => metricOf(service, name);
