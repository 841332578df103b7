import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { testResolver } from '../../../support/test-resolver.js';
import { directRoute, type AgentPair } from '../../../../src/core/net/http/outbound-route.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

const CANARY = '127.0.0.2';

let ca: TestCa;
let agents: AgentPair;
let secure: KeyOrigin;
let canary: KeyOrigin;
let plain: http.Server;
let plainPort: number;

/** Status of a GET, or the reason or code it failed with. */
function get(url: string, options: https.RequestOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const client = url.startsWith('https:') ? https : http;
    const agent = url.startsWith('https:') ? agents.https : agents.http;
    const request = client.get(url, { agent, ...options }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
    });
    request.on('error', (error: Error & { reason?: string; code?: string }) =>
      resolve(error.reason ?? error.code ?? error.message),
    );
  });
}

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  const certificate = await ca.leaf({ names: ['name.example', '127.0.0.1', CANARY] });
  secure = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  canary = await startKeyOrigin({ certificate, respond: respondJson('{}'), address: CANARY });
  plain = http.createServer((_request, response) => response.end('plain'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  plainPort = (plain.address() as AddressInfo).port;
  const hosts = new Map([
    ['name.example', ['127.0.0.1']],
    ['other.example', ['127.0.0.1']],
    ['inside.example', [CANARY]],
    ['mixed.example', ['127.0.0.1', CANARY]],
    ['empty.example', []],
  ]);
  ({ agents } = directRoute({
    resolver: testResolver({ hosts }),
    policy: testPolicy(['127.0.0.1']),
    ca: [ca.caPem],
    connectTimeoutMs: 500,
  }));
});
afterEach(async () => {
  await Promise.all([
    secure.close(),
    canary.close(),
    new Promise<void>((resolve) => {
      plain.close(() => resolve());
      plain.closeAllConnections();
    }),
  ]);
});

describe('guarded agents', () => {
  it('carry http and https requests to allowed names and addresses', async () => {
    expect(await get(`http://name.example:${plainPort}/`)).toBe('200');
    expect(await get(`http://127.0.0.1:${plainPort}/`)).toBe('200');
    expect(await get(`https://name.example:${secure.port}/`)).toBe('200');
    expect(await get(`https://127.0.0.1:${secure.port}/`)).toBe('200');
    expect(secure.hits.map(({ sni }) => sni)).toEqual(['name.example', null]);
  });

  it.each([
    `https://${CANARY}:PORT/`,
    `http://${CANARY}:PORT/`,
    'https://2130706434:PORT/',
    'https://0x7f.2:PORT/',
    'https://[::ffff:127.0.0.2]:PORT/',
    'https://inside.example:PORT/',
    'http://inside.example:PORT/',
    'https://mixed.example:PORT/',
  ])('refuse %s before any packet', async (url) => {
    expect(await get(url.replace('PORT', String(canary.port)))).toBe('address_blocked');
    expect([canary.connections, secure.connections]).toEqual([0, 0]);
  });

  it('refuse local sockets', async () => {
    expect(await get('http://name.example/', { socketPath: '/nonexistent.sock' })).toBe('address_blocked');
  });

  it('verify the name on every connection, with other requests before', async () => {
    expect(await get(`https://name.example:${secure.port}/`)).toBe('200');
    expect(await get(`https://other.example:${secure.port}/`)).toBe('tls_wrong_name');
    expect(await get(`https://other.example:${secure.port}/`, { headers: { Host: 'name.example' } })).toBe(
      '200',
    );
    expect(secure.hits.every(({ isSessionReused }) => !isSessionReused)).toBe(true);
  });

  it('keep no connection for the next request', async () => {
    await get(`https://name.example:${secure.port}/`);
    await get(`https://name.example:${secure.port}/`);
    expect(secure.connections).toBe(2);
  });
});
