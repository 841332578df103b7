import 'reflect-metadata';

import { webcrypto } from 'node:crypto';
import tls from 'node:tls';

import * as x509 from '@peculiar/x509';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKey } from '../support/clients/notary-client.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { createTestAuthority, type TestAuthority } from '../support/origins/remote-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { tlsListener } from '../support/tls-listener.js';

let authority: TestAuthority;
let service: TestService;
let origin: tls.Server | null;

beforeEach(async () => {
  authority = await createTestAuthority();
  service = await startTestService({ caPaths: [authority.caPath] });
  origin = null;
});
afterEach(async () => {
  await service.remove();
  origin?.close();
  await authority.remove();
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
async function rsaCertificate(): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const publicExponent = new Uint8Array([1, 0, 1]);
  const keys = await webcrypto.subtle.generateKey(
    { ...algorithm, modulusLength: 2048, publicExponent },
    true,
    ['sign', 'verify'],
  );
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    signingAlgorithm: algorithm,
    keys,
  });
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(der, 'PRIVATE KEY') };
}
