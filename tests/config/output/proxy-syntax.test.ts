import { describe, expect, it } from 'vitest';

import { PROXY_SERVERS, proxyLines } from '../../../src/config/output/proxy.js';
import { parseConfig } from '../../../src/config/parse-config.js';
import { proxyMissing } from '../../support/proxies/reverse-proxies.js';
import { complaintsOf } from '../../support/proxies/running-proxy.js';

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
  'beside a homeserver': BESIDE,
  'on three listeners': { listeners: APART },
  'with an address as its name': { ...BESIDE, server_name: '[2001:db8::1]:8448' },
};

describe.each(PROXY_SERVERS)('%s', (server) => {
  const missing = proxyMissing(server);
  describe.skipIf(missing !== null)(`${missing ?? 'takes'} the lines of a service`, () => {
    it.each(Object.entries(CONFIGURATIONS))('%s', async (_name, settings) => {
      const parsed = parseConfig({ server_name: 'example.org', ...settings });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      for (const ownName of [false, true]) {
        const lines = proxyLines(parsed.config, server, ownName);
        expect(await complaintsOf(server, { lines, homeserver: ownName ? null : HOMESERVER })).toBe('');
      }
    });
  });
});
