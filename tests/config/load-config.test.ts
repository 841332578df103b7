import { describe, expect, it } from 'vitest';

import { formatConfigError } from '../../src/config/config-errors.js';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);

describe('loading', () => {
  it('without a file gives a configuration for trying: localhost, loopback, ./data', () => {
    const config = configOf(loadConfig({ path: null, env: {}, cwd: '/srv/v' }));

    expect(config.server_name).toBe('localhost');
    expect(config.listeners.map(({ bind_addresses, port }) => [bind_addresses, port])).toEqual([
      [['127.0.0.1'], 8008],
      [['127.0.0.1'], 8009],
      [['127.0.0.1'], 9008],
    ]);
    expect(config.signing_key_path).toBe('/srv/v/data/signing.key');
    expect(config.database.path).toBe('/srv/v/data/vidimus.db');
  });

  it('counts relative paths from the folder of the file, absolute ones stay', async () => {
    const text = 'server_name: a.org\nmedia_store_path: ../m\nsigning_key_path: /etc/k\ndatabase:\n';

    const config = configOf(await folder.load(text));

    expect(config.media_store_path).toBe(new URL('../m', `file://${folder.path}/`).pathname);
    expect(config.signing_key_path).toBe('/etc/k');
    expect(config.database.path).toBe(`${folder.path}/data/vidimus.db`);
  });

  it('parses durations to ms, sizes to bytes, lists as written', async () => {
    const text = `server_name: a.org
key_refresh_interval: 2h
max_spider_size: 512K
federation: { key_fetch_timeout: 1500 }
previews: { rate_limit: { interval: 1h } }
`;

    const config = configOf(await folder.load(text));

    expect(config.key_refresh_interval).toBe(7_200_000);
    expect(config.max_spider_size).toBe(524_288);
    expect(config.federation.key_fetch_timeout).toBe(1500);
    expect(config.previews.rate_limit.interval).toBe(3_600_000);
    expect(config.federation.key_query_timeout).toBe(15_000);
  });

  it('reads listeners in the form of Synapse and as plain names', async () => {
    const text = `server_name: a.org
listeners:
  - port: 8448
    bind_addresses: ['::', 0.0.0.0]
    type: http
    x_forwarded: true
    request_id_header: X-Request-Id
    resources:
      - names: [keys, health]
      - names: [keys, media]
  - port: 0
    resources: [metrics]
`;

    const config = configOf(await folder.load(text));

    expect(config.listeners).toEqual([
      {
        port: 8448,
        bind_addresses: ['::', '0.0.0.0'],
        type: 'http',
        tls: false,
        x_forwarded: true,
        request_id_header: 'x-request-id',
        resources: ['keys', 'health', 'media', 'log'],
      },
      {
        port: 0,
        bind_addresses: ['127.0.0.1'],
        type: 'http',
        tls: false,
        x_forwarded: false,
        request_id_header: null,
        resources: ['metrics'],
      },
    ]);
  });

  it('tells an unset whitelist (everybody) from an empty one (nobody, with a warning)', async () => {
    const unset = await folder.load('server_name: a.org');
    const empty = await folder.load('server_name: a.org\nfederation_domain_whitelist: []');

    expect(configOf(unset).federation_domain_whitelist).toBeNull();
    expect(configOf(empty).federation_domain_whitelist).toEqual([]);
    expect(unset.warnings).toEqual([]);
    expect(empty.warnings.map(formatConfigError)).toEqual([
      'config.yaml:2:30  federation_domain_whitelist: is empty: no keys are fetched',
    ]);
  });

  it.each([
    ['nowhere.yaml', 'nowhere.yaml  there is no such file; "vidimus config generate" writes one'],
    ['.', '.  is a folder'],
  ])('refuses %s with a clear line', (path, line) => {
    const loaded = loadConfig({ path, env: {}, cwd: folder.path });

    expect(loaded.ok ? [] : loaded.errors.map(formatConfigError)).toEqual([line]);
  });
});
