import net, { type AddressInfo } from 'node:net';

import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { Deadline } from '../../../../src/core/base/deadline.js';
import { testResolver } from '../../../support/test-resolver.js';
import {
  SafeHttpClient,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../../src/core/net/http/safe-http-client.js';
import { freePort } from '../../../support/origins/dns-server.js';
import {
  respondCut,
  respondInterim,
  respondJson,
  respondNever,
  respondRaw,
  respondSlowly,
  startKeyOrigin,
  type KeyOrigin,
  type Respond,
} from '../../../support/origins/key-origin.js';
import { createTestCa, overlongChain, type TestCa } from '../../../support/origins/test-ca.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

const LIMIT_BYTES = 1000;

let ca: TestCa;
let origin: KeyOrigin;
let httpClient: SafeHttpClient;

interface FetchLimits {
  limitMs?: number;
  request?: Partial<OutboundRequest>;
}

async function fetchIt({ limitMs = 3000, request = {} }: FetchLimits = {}): Promise<OutboundResponse> {
  const deadline = new Deadline(limitMs);
  try {
    return await httpClient.fetchBounded({
      host: '127.0.0.1',
      port: origin.port,
      hostHeader: origin.serverName,
      tlsName: '127.0.0.1',
      path: '/x',
      maxBodyBytes: LIMIT_BYTES,
      deadline,
      ...request,
    });
  } finally {
    deadline.close();
  }
}

async function reasonOf(limits: FetchLimits = {}): Promise<string | null> {
  try {
    await fetchIt(limits);
    return 'no error';
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}

const withHeaders = (headers: Record<string, string>, body = 'x'): Respond => respondJson(body, headers);

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  origin = await startKeyOrigin({
    certificate: await ca.leaf({ names: ['127.0.0.1'] }),
    respond: respondJson('{}'),
  });
  httpClient = new SafeHttpClient({
    resolver: testResolver({
      hosts: new Map([
        ['two.example', ['127.0.0.3', '127.0.0.1']],
        ['gone.example', []],
      ]),
    }),
    policy: testPolicy(['127.0.0.0/8']),
    ca: [ca.caPem],
    connectTimeoutMs: 300,
    userAgent: 'Vidimus',
  });
});
afterEach(() => origin.close());

describe('SafeHttpClient, good answers', () => {
  it('returns other statuses without reading their body', async () => {
    origin.respond = (_request, response) => {
      response.writeHead(404).write('not the whole body');
    };
    expect(await fetchIt()).toMatchObject({ status: 404, body: Buffer.alloc(0) });
  });

  it('tries the next address when one refuses', async () => {
    origin.respond = respondJson('second');
    const request = { host: 'two.example' };
    expect((await fetchIt({ request })).body.toString()).toBe('second');
  });
});

describe('SafeHttpClient, hostile answers', () => {
  it.each<[string, Respond, string]>([
    ['body above the limit', respondJson('y'.repeat(LIMIT_BYTES + 1)), 'too_large'],
    [
      'endless chunks',
      (_request, response) => {
        const write = (): void => {
          while (response.writable && response.write('z'.repeat(500)));
        };
        response.on('drain', write);
        write();
      },
      'too_large',
    ],
    ['body cut short', respondCut, 'body_cut'],
    [
      'reset inside the body',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('x');
        setImmediate(() => origin.reset());
      },
      'body_cut',
    ],
    ['gzip', withHeaders({ 'Content-Encoding': 'gzip' }), 'http_encoding'],
    [
      'length together with chunks',
      respondRaw(
        'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      ),
      'bad_http',
    ],
    ['no HTTP at all', respondRaw('SSH-2.0-OpenSSH_9.0\r\n'), 'bad_http'],
    [
      'protocol upgrade',
      respondRaw('HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
      'bad_http',
    ],
    ['header of 20 kB', respondRaw(`HTTP/1.1 200 OK\r\nBig: ${'h'.repeat(20_000)}\r\n\r\n`), 'bad_http'],
    ['connection closed without an answer', (request) => request.socket.end(), 'connection_reset'],
    ['a flood of interim answers', respondInterim(1), 'bad_http'],
  ])('%s', async (_kind, respond, reason) => {
    origin.respond = respond;
    expect(await reasonOf()).toBe(reason);
  });

  it.each<[string, Respond, string]>([
    ['no answer', respondNever, 'timeout_headers'],
    ['endless interim answers', respondInterim(60), 'timeout_headers'],
    ['half a head', (request) => request.socket.write('HTTP/1.1 200 OK\r\nA: b\r\n'), 'timeout_headers'],
    ['slow drip of the body', respondSlowly, 'timeout_body'],
  ])('ends at the deadline: %s', async (_kind, respond, reason) => {
    origin.respond = respond;
    const startMs = performance.now();
    expect(await reasonOf({ limitMs: 400 })).toBe(reason);
    expect(performance.now() - startMs).toBeLessThan(1500);
  });
});

describe('SafeHttpClient, connections that do not come about', () => {
  it('names a refused connection', async () => {
    expect(await reasonOf({ request: { port: await freePort() } })).toBe('connection_refused');
  });

  it('gives up on a peer that never takes part in TLS', async () => {
    const sockets = new Set<net.Socket>();
    const hole = net.createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve));
    const { port } = hole.address() as AddressInfo;
    expect(await reasonOf({ request: { port } })).toBe('timeout_connect');
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => hole.close(() => resolve()));
  });

  it('names a peer that speaks no TLS', async () => {
    const plain = net.createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('220 mail.example ESMTP\r\n'),
    );
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    expect(await reasonOf({ request: { port } })).toBe('tls_plain_http');
    await new Promise<void>((resolve) => plain.close(() => resolve()));
  });

  it('says "aborted" when the caller gives up, in whichever phase', async () => {
    const deadline = new Deadline(5000);
    const reached = new Promise<void>((resolve) => {
      origin.respond = () => resolve();
    });
    const pending = reasonOf({ request: { deadline } });
    await reached;
    deadline.cancel();
    expect(await pending).toBe('aborted');
    deadline.close();
  });
});

describe('SafeHttpClient, TLS handshakes', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('refuses more certificates than fit (%s)', async (version) => {
    const chatty = await startKeyOrigin({
      certificate: await overlongChain(ca),
      maxTlsVersion: version,
      respond: respondJson('{}'),
    });
    expect(await reasonOf({ request: { port: chatty.port } })).toBe('tls_too_large');
    expect(chatty.hits).toEqual([]);
    await chatty.close();
  });
});
