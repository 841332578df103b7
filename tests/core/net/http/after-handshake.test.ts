import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { testResolver } from '../../../support/test-resolver.js';
import { directRoute } from '../../../../src/core/net/http/outbound-route.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

const ORDINARY_LIMIT = tls.CLIENT_RENEG_LIMIT;

let ca: TestCa;
let server: tls.Server;
let gaveUp: string[] = [];

beforeAll(async () => {
  ca = await createTestCa();
  // Of Node's servers, which end a connection after three.
  Object.assign(tls, { CLIENT_RENEG_LIMIT: Infinity });
});
afterAll(() => {
  Object.assign(tls, { CLIENT_RENEG_LIMIT: ORDINARY_LIMIT });
});
afterEach(async () => {
  gaveUp = [];
  await new Promise((resolve) => server.close(resolve));
});

/** What a GET comes to where `behave` answers requests: a reason, or the length of the body. */
async function get(behave: (socket: tls.TLSSocket) => void): Promise<string> {
  const leaf = await ca.leaf({ names: ['127.0.0.1'] });
  server = tls.createServer({ key: leaf.key, cert: leaf.cert, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { agents } = directRoute({
    resolver: testResolver(),
    policy: testPolicy(['127.0.0.1']),
    ca: [ca.caPem],
    onLargeHandshake: (name) => gaveUp.push(name),
    connectTimeoutMs: 2000,
  });
  return new Promise((resolve) => {
    const request = https.get(`https://127.0.0.1:${port}/`, { agent: agents.https }, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => (length += chunk.length));
      response.on('end', () => resolve(String(length)));
    });
    request.on('error', (error: Error & { reason?: string }) => resolve(error.reason ?? error.message));
  });
}

it('a peer that shakes hands again and again is let go, counted and told', async () => {
  let handshakes = 0;
  const again = (socket: tls.TLSSocket): void => {
    if (socket.destroyed || handshakes >= 2000) return void socket.destroy();
    socket.renegotiate({ rejectUnauthorized: false }, () => {
      handshakes += 1;
      setImmediate(again, socket);
    });
  };

  expect(await get(again)).toBe('tls_too_large');
  // Resumed ones, of 250 bytes each.
  expect(handshakes).toBeLessThan(300);
  expect(gaveUp).toEqual(['127.0.0.1']);
});

it('what comes in small pieces, or all at once, is read to its end', async () => {
  const pieces = Array.from({ length: 5000 }, () => 'x'.repeat(40));
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${40 * pieces.length + 2_000_000}\r\n\r\n`;

  const length = await get((socket) => {
    socket.write(head);
    for (const piece of pieces) socket.write(piece);
    socket.end(Buffer.alloc(2_000_000));
  });

  expect(length).toBe(String(40 * pieces.length + 2_000_000));
});
