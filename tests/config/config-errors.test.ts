import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createConfigFolder, type ConfigFolder } from './support.js';

let folder: ConfigFolder;

beforeAll(async () => {
  folder = await createConfigFolder();
});

afterAll(() => folder.remove());

const NAME = 'server_name: a.org\n';

/** What stands after the server name, and the beginning of the only error's line. */
const CASES: [what: string, text: string, line: string][] = [
  [
    'a misspelt name',
    'max_spider_szie: 5',
    '2:1  max_spider_szie: unknown setting; did you mean "max_spider_size"?',
  ],
  ['swapped letters', 'log:\n  lvel: info', '3:3  log.lvel: unknown setting; did you mean "log.level"?'],
  [
    'a name of another group',
    'max_body_memory: 4',
    '2:1  max_body_memory: unknown setting; did you mean "server.max_body_memory"?',
  ],
  ['a name near none', 'jobs:\n  colour: 1', '3:3  jobs.colour: unknown setting'],
  [
    'a setting that was removed',
    'alerts:\n  webhooks: []',
    '3:3  alerts.webhooks: no longer a setting: name one address in alerts.webhook.url',
  ],
  [
    'a misspelt member of a list',
    'listeners:\n  - port: 1\n    tsl: true\n    resources: [keys]',
    '4:5  listeners[0].tsl: unknown setting; expected: a map with port, bind_addresses, tls,',
  ],
  ['an inherited name', 'constructor: 1', '2:1  constructor: unknown setting'],
  ['a prototype', '__proto__: {log: 1}', '2:1  __proto__: unknown setting'],
  [
    'a name that stands twice',
    'dialect: svc\ndialect: svc',
    '3:1  cannot be read as YAML: Map keys must be unique',
  ],
  ['a wrong type', 'url_preview_enabled: 1', '2:22  url_preview_enabled: is 1; expected: true or false'],
  [
    'a YAML 1.1 boolean',
    'url_preview_enabled: yes',
    '2:22  url_preview_enabled: is "yes"; expected: true or false',
  ],
  ['a wrong word', 'dialect: xmpp', '2:10  dialect: is "xmpp"; expected: one of svc, matrix'],
  [
    'a wrong size',
    'max_spider_size: 10MB',
    '2:18  max_spider_size: is "10MB"; expected: a size in bytes or such as 512K',
  ],
  ['a size out of range', 'max_spider_size: 1', '2:18  max_spider_size: is 1; expected: a size'],
  [
    'a wrong duration',
    'key_refresh_interval: 1 day',
    '2:23  key_refresh_interval: is "1 day"; expected: a duration such as 500ms, 10s',
  ],
  ['a fraction', 'key_refresh_interval: 1.5', '2:23  key_refresh_interval: is 1.5; expected: a duration'],
  [
    'a setting without value',
    'federation_domain_whitelist:',
    '2:29  federation_domain_whitelist: has no value; remove the line',
  ],
  [
    'a map for a list',
    'ip_range_blacklist: {a: b}',
    '2:21  ip_range_blacklist: is a map; expected: a list, each entry an IP address or a range',
  ],
  ['a list for a group', 'database: []', '2:11  database: is a list; expected: a map of settings'],
  [
    'a port out of range',
    'listeners:\n  - port: 65536\n    resources: [keys]',
    '3:11  listeners[0].port: is 65536; expected: a whole number from 0 to 65535',
  ],
  [
    'a listener without port',
    'listeners:\n  - resources: [keys]',
    '3:5  listeners[0].port: is missing; expected: a whole number from 0 to 65535',
  ],
  [
    'an unknown resource',
    'listeners:\n  - port: 1\n    resources: [keys, federation]',
    '4:23  listeners[0].resources[1]: is "federation"; expected:',
  ],
  [
    'an unknown resource, Synapse form',
    'listeners:\n  - port: 1\n    resources:\n      - names: [client]',
    '5:17  listeners[0].resources[0].names[0]: is "client"; expected: one of keys',
  ],
  [
    'a range too long',
    'ip_range_blacklist: [10.0.0.0/33]',
    '2:22  ip_range_blacklist[0]: is "10.0.0.0/33"; expected:',
  ],
  [
    'an octal address',
    'ip_range_whitelist: [010.0.0.1]',
    '2:22  ip_range_whitelist[0]: is "010.0.0.1"; expected:',
  ],
  [
    'an address with zone',
    "url_preview_ip_range_blacklist: ['fe80::1%eth0']",
    '2:34  url_preview_ip_range_blacklist[0]: is "fe80::1%eth0"; expected:',
  ],
  [
    'a pattern among names',
    "federation_domain_whitelist: ['*.org']",
    '2:31  federation_domain_whitelist[0]: is "*.org"; names are compared whole',
  ],
  [
    'a setting of an earlier version',
    'federation: {throttle: {burst: 1}}',
    '2:14  federation.throttle: no longer a setting: its value is fixed now',
  ],
  [
    'look-around',
    'url_preview_url_blacklist:\n  - path: "^/(?!a)"',
    '3:11  url_preview_url_blacklist[0].path: is not a usable pattern (invalid or unsupported',
  ],
  [
    'an unknown component',
    'url_preview_url_blacklist:\n  - hostnam: a',
    '3:5  url_preview_url_blacklist[0].hostnam: unknown setting; expected: a map from scheme, netloc, hostname',
  ],
  [
    'a rule that matches all',
    'url_preview_url_blacklist: [{}]',
    '2:29  url_preview_url_blacklist[0]: names no component and would match every address',
  ],
  [
    'a bad key ID',
    'old_signing_keys: {rsa: {}}',
    '2:20  old_signing_keys.rsa: is not a usable name; expected: a key ID such as ed25519:abc',
  ],
  [
    'a short old key',
    'old_signing_keys:\n  ed25519:a: {key: AAAA, expired_ts: 1}',
    '3:20  old_signing_keys.ed25519:a.key: is "AAAA"; expected: an Ed25519 public key',
  ],
  [
    'a bad static host',
    'dns:\n  hosts: {a.org: [b.org]}',
    '3:19  dns.hosts.a.org[0]: is "b.org", no IP address; expected: an IP address',
  ],
  [
    'an address that nobody can ask',
    'alerts: {webhook: {url: "ftp://h"}}',
    '2:25  alerts.webhook.url: is not an address of that form; expected: an http or https address',
  ],
  [
    'an address with a password',
    'alerts: {webhook: {url: "https://u:hunter2@h/x"}}',
    '2:25  alerts.webhook.url: is not an address of that form; expected: an http or https address without user name',
  ],
  ['a bad DNS server', 'dns: {servers: ["1.1.1.1:0"]}', '2:17  dns.servers[0]: is "1.1.1.1:0"; expected:'],
  ['a tab', 'log:\n\tlevel: info', '3:1  cannot be read as YAML: Tabs are not allowed as indentation'],
  ['an unclosed list', 'ip_range_blacklist: [1.1.1.1', '2:29  cannot be read as YAML: Flow sequence'],
  ['two documents', '---\ndialect: svc', '2:1  cannot be read as YAML: Source contains multiple documents'],
  ['an unknown tag', 'dialect: !svc svc', '2:10  cannot be read as YAML: Unresolved tag: !svc'],
  ['a reference to nothing', 'dialect: *none', '1:1  cannot be read as YAML: Unresolved alias'],
  [
    'a secret of wrong form',
    'database: {url: "mysql://u:hunter2@h/d"}',
    '2:17  database.url: is not a PostgreSQL address; expected: postgresql://USER@HOST',
  ],
  [
    'a TLS mode that would be taken for another',
    'database: {url: "postgresql://u@h/d?sslmode=prefer"}',
    '2:17  database.url: has sslmode=prefer, which is not supported; write disable or require',
  ],
  [
    'a TLS check without an authority',
    'database: {url: "postgresql://u@h/d?sslmode=verify-ca"}',
    '2:17  database.url: has sslmode=verify-ca without sslrootcert=FILE',
  ],
];

describe('faults', () => {
  it.each(CASES)('%s is told with its place and the wanted form', async (_what, text, line) => {
    const errors = await folder.errors(NAME + text);

    expect(errors).toHaveLength(1);
    expect(errors[0]?.slice(0, `config.yaml:${line}`.length)).toBe(`config.yaml:${line}`);
  });

  it('never prints the password of an address', async () => {
    const errors = await folder.errors(`${NAME}database: {url: "mysql://u:hunter2@h/d"}`);

    expect(errors.join('')).not.toContain('hunter2');
  });

  it.each([
    ['', '1:1  server_name: is missing; expected: a server name'],
    [
      'server_name: https://a.org',
      '1:14  server_name: is "https://a.org", an address; only the name is wanted',
    ],
    ['server_name: a_b', '1:14  server_name: is "a_b"; expected: a server name'],
    ['server_name: a.org:99999', '1:14  server_name: is "a.org:99999"; expected: a server name'],
    ['server_name: 5', '1:14  server_name: is 5; expected: a server name'],
    ['- a', '1:1  is a list; expected: a map of settings'],
    ['hello', '1:1  is "hello"; expected: a map of settings'],
  ])('%j: a usable server name is required', async (text, line) => {
    const errors = await folder.errors(text);

    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`config.yaml:${line}`);
  });

  it('come all at once, in the order of the file', async () => {
    const text = 'dialect: x\nlog: {level: loud}\nbogus: 1\nmax_spider_size: -1\n';

    const errors = await folder.errors(text, { VIDIMUS__LOG__REQUESTS: 'some', VIDIMUS__NOPE: '1' });

    expect(errors.map((line) => line.split(' ', 1)[0])).toEqual([
      'config.yaml:1:1',
      'config.yaml:1:10',
      'config.yaml:2:14',
      'config.yaml:3:1',
      'config.yaml:4:18',
      'VIDIMUS__NOPE',
      'VIDIMUS__LOG__REQUESTS',
    ]);
  });
});
