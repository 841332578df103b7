import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { SETTING_NAMES } from '../../src/config/setting-tree.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus } from './vidimus.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());
const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
const read = async (name: string) => readFile(join(folder.path, name), 'utf8');
const importFiles = (...args: string[]) =>
  runHere(['config', 'import-synapse', ...args], { cwd: folder.path });

const KEY = 'ed25519 a_lYqw pRUyd0uDmZkYCUFC4eHMxF2w1rK0UBSM0AQqvWrI6kE\n';
const HOMESERVER = `# Configuration file for Synapse.
server_name: "chat.test"
public_baseurl: https://matrix.chat.test/
pid_file: /var/run/matrix-synapse.pid
listeners:
  - port: 8008
    tls: no
    type: http
    x_forwarded: yes
    bind_addresses: ['::1', '127.0.0.1']
    resources:
      - names: [client, federation]
        compress: false
  - port: 9000
    type: metrics
    bind_addresses: ['127.0.0.1']
database:
  name: psycopg2
  args: {user: synapse, password: hunter2, dbname: synapse}
log_config: "/etc/matrix-synapse/log.yaml"
media_store_path: /var/lib/matrix-synapse/media
registration_shared_secret: "s3cret"
report_stats: false
signing_key_path: "chat.test.signing.key"
key_refresh_interval: 2d
old_signing_keys:
  "ed25519:a_old": {key: "Noi6WqcDj0QmPxCNQqgezwTlBKrfqehY1u2FyWP9uYw", expired_ts: 1576767829750}
  "ed25519:bad": {key: "short", expired_ts: 1576767829750}
trusted_key_servers:
  - server_name: "matrix.org"
federation_domain_whitelist: [lon.test, nyc.test]
federation_client_minimum_tls_version: 1.2
federation_custom_ca_list: [missing.pem]
ip_range_blacklist: ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '100.64.0.0/10', '169.254.0.0/16', '::1/128',
  'fe80::/10', 'fc00::/7', '50.60.0.0/16', '1.2.3']
ip_range_whitelist: ['192.168.1.1']
url_preview_enabled: yes
url_preview_ip_range_blacklist: ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10',
  '169.254.0.0/16', '::1/128', 'fe80::/10', 'fc00::/7']
url_preview_url_blacklist:
  - username: '*'
  - netloc: '^(?=x)[0-9]+$'
  - {scheme: http, netloc: 'www.plain.test'}
url_preview_accept_language: ['en-UK', 'de;q=0.8']
max_spider_size: 20M
oembed:
  disable_default_providers: true
thumbnail_sizes:
url_preview_nonsense: 1
`;

describe('vidimus config import-synapse', () => {
  it('makes a configuration and a key file that check accepts, and tells by line what it left out', async () => {
    await write('homeserver.yaml', HOMESERVER);
    await write('chat.test.signing.key', KEY);

    const line = ['config', 'import-synapse', 'homeserver.yaml', '--output', 'config.yaml'];
    const { code, stdout, stderr } = await vidimus(line, { cwd: folder.path });

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const config = parse(await read('config.yaml')) as Record<string, unknown>;
    expect(config).toMatchObject({
      server_name: 'chat.test',
      dialect: 'matrix',
      auth: { homeserver_url: 'http://127.0.0.1:8008/' },
      key_server_signing_keys_path: './homeserver.signing.key',
      listeners: [{ port: 8018, x_forwarded: true }, { port: 8009 }, { port: 9008 }],
      public_baseurl: 'https://matrix.chat.test/',
      key_refresh_interval: '2d',
      federation_domain_whitelist: ['lon.test', 'nyc.test'],
      federation_client_minimum_tls_version: '1.2',
      federation_custom_ca_list: [],
      ip_range_whitelist: ['192.168.1.1'],
      url_preview_enabled: true,
      url_preview_url_blacklist: [{ username: '*' }, { scheme: 'http', netloc: 'www.plain.test' }],
      url_preview_accept_language: ['en-UK', 'de;q=0.8'],
      max_spider_size: '20M',
      oembed: { disable_default_providers: true },
    });
    expect(Object.keys(config['old_signing_keys'] as object)).toEqual(['ed25519:a_old']);
    expect(config['ip_range_blacklist']).toEqual(expect.arrayContaining(['240.0.0.0/4', '50.60.0.0/16']));
    expect(config).not.toHaveProperty('url_preview_ip_range_blacklist');
    expect(stderr).not.toMatch(/hunter2|s3cret/);
    const remarks = stderr.split('\n').filter((line) => line.startsWith('homeserver.yaml:'));
    expect(remarks.map((line) => line.replace(/(: ).*/, ''))).toEqual(
      [
        '4  pid_file',
        '6  listeners[0]',
        '14  listeners[1]',
        '17  database',
        '20  log_config',
        '21  media_store_path',
        '22  registration_shared_secret',
        '23  report_stats',
        '28  old_signing_keys.ed25519:bad.key',
        '29  trusted_key_servers',
        '33  federation_custom_ca_list[0]',
        '34  ip_range_blacklist',
        '35  ip_range_blacklist[9]',
        '42  url_preview_url_blacklist[1].netloc',
        '49  url_preview_nonsense',
      ].map((line) => `homeserver.yaml:${line}`),
    );
    expect(await read('homeserver.signing.key')).toBe(KEY);
    expect((await stat(join(folder.path, 'homeserver.signing.key'))).mode & 0o777).toBe(0o600);
    const check = await runHere(['config', 'check', '-c', 'config.yaml'], { cwd: folder.path });
    expect(check).toMatchObject({ code: 0, stdout: 'config.yaml: no errors\n' });
  });

  it('names a setting of ours where a homeserver has media and workers elsewhere', async () => {
    const elsewhere = 'media_storage_providers: [{module: s3_storage_provider}]\nredis: {enabled: true}\n';
    await write('homeserver.yaml', HOMESERVER.replace('url_preview_nonsense: 1\n', elsewhere));
    await write('chat.test.signing.key', KEY);

    const { stderr } = await importFiles('homeserver.yaml', '--output', 'config.yaml');
    const about = stderr.split('\n').filter((line) => /(?:media_storage_providers|redis): /.test(line));

    const named = about.flatMap((line) => line.match(/\b(?:[a-z_]+\.)+[a-z_]+$/)?.[0] ?? line);
    expect(named).toEqual(['media.storage', 'database.engine']);
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(named));
  });

  it('overwrites neither configuration nor key, and leaves no half of them', async () => {
    await write('homeserver.yaml', 'server_name: chat.test\nsigning_key: ed25519 a_1 broken\n');
    expect((await importFiles('homeserver.yaml', '-o', 'config.yaml')).stderr).toMatch(/seed/);
    await write('homeserver.yaml', `server_name: chat.test\nsigning_key: "${KEY.trim()}"\n`);
    await write('config.yaml', 'mine');

    const taken = await importFiles('homeserver.yaml', '-o', 'config.yaml');

    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(await read('config.yaml')).toBe('mine');
    await expect(read('homeserver.signing.key')).rejects.toThrow(/ENOENT/);
    await write('homeserver.signing.key', 'mine');
    expect(await importFiles('homeserver.yaml', '-o', 'new.yaml')).toMatchObject({ code: 1 });
    expect(await read('homeserver.signing.key')).toBe('mine');
    await expect(read('new.yaml')).rejects.toThrow(/ENOENT/);
  });

  it('lays files over each other as Synapse does, and says which names the server', async () => {
    await write('homeserver.yaml', 'url_preview_enabled: on\nlisteners: []\nkey_refresh_interval: 9w\n');
    await write('name.yaml', '# Debian\nserver_name: chat.test\nsigning_key_path: keys/a.key\n');

    const alone = await importFiles('homeserver.yaml');
    const both = await importFiles('homeserver.yaml', 'name.yaml');

    expect(alone).toMatchObject({ code: 2, stdout: '' });
    expect(alone.stderr).toMatch(/server_name.*conf\.d\/server_name\.yaml/);
    expect(both.code).toBe(0);
    expect(parse(both.stdout)).toMatchObject({
      server_name: 'chat.test',
      url_preview_enabled: true,
      key_server_signing_keys_path: join(folder.path, 'keys/a.key'),
    });
    expect(both.stderr).toMatch(/^homeserver\.yaml:3 {2}key_refresh_interval: is "9w"; wanted: /m);
  });

  it('says where a file cannot be read as YAML, exit code 2', async () => {
    await write('homeserver.yaml', 'server_name: chat.test\nlisteners: [\n');

    const { code, stderr } = await importFiles('homeserver.yaml');

    expect(code).toBe(2);
    expect(stderr).toMatch(/homeserver\.yaml:\d+ {2}cannot be read as YAML/);
  });
});
