import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { formatFault } from '../../src/config/faults.js';
import { createConfigFolder } from './support.js';
import type { ConfigFolder } from './support.js';

let folder: ConfigFolder;

beforeAll(async () => {
  folder = await createConfigFolder();
});

afterAll(() => folder.remove());

const listeners = (...entries: string[]) =>
  `listeners:\n${entries.map((entry) => `  - {${entry}}\n`).join('')}`;

const FAULTS: [string, string, string][] = [
  [
    'the same port twice',
    listeners('port: 1, resources: [keys]', 'port: 1, resources: [health]'),
    'listeners[1].bind_addresses[0]: 127.0.0.1 port 1 is already taken by listeners[0]',
  ],
  [
    'a port of all addresses',
    listeners('port: 1, bind_addresses: [0.0.0.0], resources: [keys]', 'port: 1, resources: [health]'),
    'listeners[1].bind_addresses[0]: 127.0.0.1 port 1 is already taken by listeners[0]',
  ],
  [
    'an address, then all addresses',
    listeners('port: 1, resources: [keys]', "port: 1, bind_addresses: ['0.0.0.0'], resources: [health]"),
    'listeners[1].bind_addresses[0]: 0.0.0.0 port 1 is already taken by listeners[0]',
  ],
  [
    'TLS without certificate',
    listeners('port: 1, tls: true, resources: [keys]'),
    'tls_certificate_path: is missing; a listener has tls: true',
  ],
  ['PostgreSQL without address', 'database: {engine: postgresql}', 'database.url: is missing'],
  [
    'pauses upside down',
    'federation: {backoff: {initial: 1h}}',
    'federation.backoff.initial: is longer than',
  ],
  [
    'media that go before the previews that name them',
    'previews: {media_retention: 25h}',
    'previews.media_retention: is "25h"; wanted:',
  ],
  ['a proxy nobody vouches for', 'previews: {proxy_url: "http://p:1"}', 'previews.proxy_url: is set, but'],
  [
    'a designated instance among nameless ones',
    'media_instance_running_background_jobs: a',
    'jobs.instance: is missing',
  ],
];

const WARNINGS: [string, string, string][] = [
  [
    'metrics in public',
    listeners('port: 1, bind_addresses: [0.0.0.0], resources: [keys, metrics]'),
    'listeners[0]: serves metrics on the address clients and peers use',
  ],
  [
    'a query shorter than a fetch',
    'federation: {key_query_timeout: 5s}',
    'federation.key_query_timeout: is shorter',
  ],
  [
    'a connection longer than a fetch',
    'federation: {connect_timeout: 20s}',
    'federation.connect_timeout: is longer',
  ],
  [
    'more fetches per query than in all',
    'federation: {max_concurrent_fetches: 5}',
    'federation.max_concurrent_fetches_per_query: is above',
  ],
  ['no denied addresses', 'ip_range_blacklist: []', 'ip_range_blacklist: is empty: anybody'],
  [
    'no denied addresses for previews',
    'url_preview_ip_range_blacklist: []',
    'url_preview_ip_range_blacklist: is empty',
  ],
  ['an address SQLite has no use for', 'database: {url: "postgresql://h/d"}', 'database.url: is not used'],
  [
    'a homeserver in the neutral dialect',
    'auth: {homeserver_url: "http://h"}',
    'auth.homeserver_url: is used only',
  ],
  ['a download longer than a preview', 'previews: {fetch_timeout: 1m}', 'previews.fetch_timeout: is longer'],
];

describe('settings against each other', () => {
  it.each(FAULTS)('%s is a fault with its line', async (_what, text, expected) => {
    const faults = await folder.faults(`server_name: a.org\n${text}`);

    expect(faults[0]).toMatch(/^config\.yaml:[1-9]\d*:[1-9]\d*  /);
    expect(faults[0]).toContain(expected);
  });

  it.each(WARNINGS)('%s is a warning', async (_what, text, expected) => {
    const loaded = await folder.load(`server_name: a.org\n${text}`);

    expect(loaded.ok).toBe(true);
    expect(loaded.warnings).toHaveLength(1);
    expect(loaded.warnings.map(formatFault)[0]).toContain(expected);
  });

  it('free ports never collide', async () => {
    const loaded = await folder.load(
      `server_name: a.org\n${listeners('port: 0, resources: [keys]', 'port: 0, resources: [health]')}`,
    );

    expect(loaded.ok).toBe(true);
  });
});
