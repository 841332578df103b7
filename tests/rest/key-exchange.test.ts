import { generateKeyPairSync } from 'node:crypto';
import tls from 'node:tls';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKey } from '../support/clients/notary-client.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { createTestAuthority } from '../support/origins/remote-server.js';
import { createSelfSigned } from '../support/origins/test-ca.js';
import { startTestService, type TestService } from '../support/service.js';
import { tlsListener } from '../support/tls-listener.js';
import { setUpEach } from '../support/set-up.js';

const authority = setUpEach(createTestAuthority);
let service: TestService;
let origin: tls.Server | null;

beforeEach(async () => {
  service = await startTestService({ caPaths: [authority.caPath] });
  origin = null;
});
afterEach(async () => {
  await service.remove();
  origin?.close();
});

/** Lets the service ask a server that speaks TLS so; why the handshake ended there. */
async function refusal(options: tls.TlsOptions): Promise<unknown> {
  const server = tls.createServer(options, (socket) => socket.destroy());
  origin = server;
  const refused = new Promise((resolve) => {
    server.once('tlsClientError', ({ message }) => resolve(message));
    server.once('secureConnection', () => resolve('agreed upon a key'));
  });
  const port = await listenOnFreshPort(server, '127.0.0.1');
  expect((await postKey(service.url, `127.0.0.1:${port}`)).records).toEqual([]);
  return refused;
}

it('a server that agrees upon keys over a finite field of its own gets no key of ours', async () => {
  const message = await refusal({
    ...(await rsaCertificate()),
    dhparam: 'auto',
    maxVersion: 'TLSv1.2',
    ciphers: 'DHE-RSA-AES128-GCM-SHA256',
  });

  expect(message).toContain('no shared cipher');
});

it('a client that wants the largest standard field gets no connection', async () => {
  service = await service.restart(await tlsListener(authority));
  const { port } = new URL(service.url);
  const connect = (options: tls.ConnectionOptions): Promise<string> =>
    new Promise((resolve) => {
      const at = { port: Number(port), host: '127.0.0.1', ca: authority.caPem };
      const socket = tls.connect({ ...at, ...options }, () => resolve(socket.getProtocol() ?? ''));
      socket.once('secureConnect', () => socket.destroy()).once('error', ({ message }) => resolve(message));
    });

  expect(await connect({})).toBe('TLSv1.3');
  expect(await connect({ ecdhCurve: 'ffdhe8192' })).toContain('handshake failure');
});

/** TLS 1.2 has such an agreement with keys of RSA only. */
function rsaCertificate(): Promise<{ cert: string; key: string }> {
  return createSelfSigned(['127.0.0.1'], generateKeyPairSync('rsa', { modulusLength: 2048 }));
}
