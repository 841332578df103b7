import { describe, expect, it } from 'vitest';

import { PROXY_SERVERS, proxyLines } from '../../../../src/config/output/proxy/proxy-lines.js';
import { parseConfig } from '../../../../src/config/parse-config.js';
import { proxyMissing } from '../../../support/proxies/reverse-proxies.js';
import { complaintsOf } from '../../../support/proxies/running-proxy.js';

const HOMESERVER = '127.0.0.1:8018';
const BESIDE = {
  dialect: 'matrix',
  auth: { homeserver_url: `http://${HOMESERVER}/` },
  key_server_signing_keys_path: '/etc/homeserver.key',
};
const APART = [
  { port: 8001, resources: ['keys'], x_forwarded: true },
  { port: 8002, resources: ['previews'], bind_addresses: ['::'] },
  { port: 8003, resources: ['media', 'admin'] },
];

const CONFIGURATIONS: Record<string, Record<string, unknown>> = {
  alone: {},
  'alone in the other dialect': { dialect: 'matrix', signing_key_path: '/etc/own.key' },
  'beside a homeserver': BESIDE,
  'beside a homeserver, with its key': { ...BESIDE, signing_key_path: '/etc/homeserver.key' },
  'beside a homeserver under its public address': {
    ...BESIDE,
    auth: { homeserver_url: 'https://example.org' },
  },
  'on three listeners': { listeners: APART },
  'beside a homeserver, on three listeners': { ...BESIDE, listeners: APART },
  'with TLS': {
    ...BESIDE,
    listeners: [
      { port: 8443, tls: true, bind_addresses: ['0.0.0.0'], resources: ['keys', 'previews', 'media'] },
    ],
    tls_certificate_path: '/etc/a.crt',
    tls_private_key_path: '/etc/a.key',
  },
  'with a port in its name': { ...BESIDE, server_name: 'example.org:8448' },
  'with an address as its name': { ...BESIDE, server_name: '[2001:db8::1]:8448' },
  'for keys only': { listeners: [{ port: 8001, resources: ['keys'] }] },
  'for previews and a log beside them': {
    listeners: [
      { port: 8001, resources: ['previews'] },
      { port: 8002, resources: ['keys', 'log'] },
    ],
  },
  'for nobody': { listeners: [{ port: 8001, resources: ['admin', 'metrics'] }] },
};

describe.each(PROXY_SERVERS)('%s', (server) => {
  const missing = proxyMissing(server);
  describe.skipIf(missing !== null)(`${missing ?? 'takes'} the lines of a service`, () => {
    it.each(Object.entries(CONFIGURATIONS))('%s', async (_name, settings) => {
      const parsed = parseConfig({ server_name: 'example.org', ...settings });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      for (const ownName of [false, true]) {
        const lines = proxyLines(parsed.config, server, { ownName });
        expect(await complaintsOf(server, { lines, homeserver: ownName ? null : HOMESERVER })).toBe('');
      }
    });
  });
});
