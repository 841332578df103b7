import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  AddressPolicy,
  compileAddressRanges,
  DEFAULT_IP_RANGE_BLACKLIST,
} from '../../../../src/core/net/address/address-policy.js';
import { testResolver } from '../../../support/test-resolver.js';
import { Downloader } from '../../../../src/core/preview/download/downloader.js';
import { DownloadTrace } from '../../../../src/core/preview/download/download-trace.js';
import { FairQueue } from '../../../../src/core/base/fair-queue.js';
import { HttpClient } from '../../../../src/core/preview/download/http-client.js';
import { proxyRoute } from '../../../../src/core/net/http/outbound-route.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestCa } from '../../../support/origins/test-ca.js';
import { CANARY_ADDRESS, outcome } from './download-setup.js';

/** A forward proxy that takes every name to 127.0.0.1; its own address is a blocked one. */
interface TestProxy {
  port: number;
  /** Request lines and credentials, as received. */
  asked: string[];
  refuses: boolean;
  close(): void;
}

const sockets = new Set<Socket>();

async function startProxy(): Promise<TestProxy> {
  const note = (request: http.IncomingMessage): void => {
    const credentials = request.headers['proxy-authorization'] ?? 'none';
    proxy.asked.push(`${request.method} ${request.url} ${credentials}`);
  };
  const server = http.createServer((request, response) => {
    note(request);
    const target = new URL(request.url ?? '');
    const { 'proxy-authorization': _credentials, ...headers } = request.headers;
    http.get({ port: target.port, path: target.pathname, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket) => {
    note(request);
    if (proxy.refuses) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onward = net.connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, CANARY_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: TestProxy = {
    port,
    asked: [],
    refuses: false,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return proxy;
}

let proxy: TestProxy;
let site: RemoteSite;
let secure: RemoteSite;
let caPem: string;
let downloader: Downloader;

function throughProxy(proxyPort: number): Downloader {
  const route = proxyRoute({
    proxyUrl: new URL(`http://us%40er:pw@${CANARY_ADDRESS}:${proxyPort}/`),
    resolver: testResolver(),
    policy: new AddressPolicy({
      blacklist: compileAddressRanges(DEFAULT_IP_RANGE_BLACKLIST),
      whitelist: compileAddressRanges([]),
    }),
    connectTimeoutMs: 1000,
    ca: [caPem],
  });
  const client = new HttpClient({
    route,
    userAgent: 'Vidimus (bot; +https://preview.example/)',
    acceptLanguage: ['en'],
    responseTimeoutMs: 1000,
  });
  const queue = new FairQueue({ maxRunning: 9, maxWaiting: 9 });
  return new Downloader({ resolver: null, client, queue, fetchTimeoutMs: 3000, maxBytes: 100_000 });
}

beforeAll(async () => {
  const ca = await createTestCa();
  caPem = ca.caPem;
  proxy = await startProxy();
  site = await startRemoteSite();
  secure = await startRemoteSite({ certificate: await ca.leaf({ names: ['secure.example'] }) });
  site.pages.set('/a', page('plain'));
  secure.pages.set('/a', page('secure'));
});
afterAll(async () => {
  proxy.close();
  await site.close();
  await secure.close();
});
beforeEach(() => {
  proxy.asked.length = 0;
  proxy.refuses = false;
  site.hits.length = 0;
  downloader = throughProxy(proxy.port);
});

const CREDENTIALS = `Basic ${Buffer.from('us@er:pw').toString('base64')}`;

describe('behind a proxy', () => {
  it('plain requests name their whole address to it, credentials included', async () => {
    const url = site.url('/a', 'plain.example');

    const begun: string[] = [];
    const told = new DownloadTrace({ begin: (name) => begun.push(name), step: () => {} }, 'failed');

    expect(await outcome(downloader, { url, told })).toMatchObject({ body: Buffer.from('plain') });
    expect(proxy.asked).toEqual([`GET ${url} ${CREDENTIALS}`]);
    expect(begun).toEqual(['connect', 'download']);
  });

  it('secure requests go through a tunnel, and the certificate is that of the server', async () => {
    const good = await outcome(downloader, { url: secure.url('/a', 'secure.example') });
    const wrong = await outcome(downloader, { url: secure.url('/a', 'other.example') });

    expect(good).toMatchObject({ body: Buffer.from('secure') });
    expect(wrong).toMatchObject({ status: 500, message: 'Failed to download content: TLS failure' });
    expect(proxy.asked[0]).toBe(`CONNECT secure.example:${secure.port} ${CREDENTIALS}`);
    expect(secure.hits[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it.each(['127.0.0.1', '2130706433', '[::1]', '10.0.0.1', CANARY_ADDRESS])(
    'the literal %s is refused here, without a request',
    async (host) => {
      expect(await outcome(downloader, { url: `http://${host}:${site.port}/a` })).toMatchObject({
        status: 403,
      });
      expect(proxy.asked).toEqual([]);
    },
  );

  it.each(['localhost', 'a.localhost', 'localhost.localdomain', 'LOCALHOST.', 'ip6-localhost'])(
    'the name %s is refused here, without a request',
    async (host) => {
      expect(await outcome(downloader, { url: `http://${host}:${site.port}/a` })).toMatchObject({
        status: 502,
        message: 'DNS resolution failure during URL preview generation',
      });
      expect(proxy.asked).toEqual([]);
    },
  );

  it('a redirect to a blocked literal is refused', async () => {
    site.pages.set('/in', redirect(`http://127.0.0.1:${site.port}/a`));

    expect(await outcome(downloader, { url: site.url('/in', 'plain.example') })).toMatchObject({
      status: 403,
    });
    expect(site.hits).toHaveLength(1);
  });

  it('that refuses or is gone nothing is fetched directly', async () => {
    proxy.refuses = true;
    const refused = await outcome(downloader, { url: secure.url('/a', 'secure.example') });
    const gone = await outcome(throughProxy(1), { url: site.url('/a', 'plain.example') });

    expect(refused).toMatchObject({ status: 500, message: 'Failed to download content: host unreachable' });
    expect(gone).toMatchObject({ status: 500, message: 'Failed to download content: connection refused' });
    expect(site.hits).toEqual([]);
  });
});
