import { describe, expect, it } from 'vitest';

import { createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);

const NAME = 'server_name: a.org\n';

/** What stands after the server name, and the beginning of the only error's line. */
const CASES: [what: string, text: string, line: string][] = [
  [
    'a misspelt name',
    'max_spider_szie: 5',
    '2:1  max_spider_szie: unknown setting; did you mean max_spider_size?',
  ],
  [
    'a name of another group',
    'max_body_memory: 4',
    '2:1  max_body_memory: unknown setting; did you mean server.max_body_memory?',
  ],
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
  ['a size out of range', 'max_spider_size: 1', '2:18  max_spider_size: is 1; expected: a size'],
  [
    'a wrong duration',
    'key_refresh_interval: 1 day',
    '2:23  key_refresh_interval: is "1 day"; expected: a duration such as 500ms, 10s',
  ],
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
  [
    'an unknown resource',
    'listeners:\n  - port: 1\n    resources: [keys, federation]',
    '4:23  listeners[0].resources[1]: is "federation"; expected:',
  ],
  [
    'an octal address',
    'ip_range_whitelist: [010.0.0.1]',
    '2:22  ip_range_whitelist[0]: is "010.0.0.1"; expected:',
  ],
  [
    'a pattern among names',
    "federation_domain_whitelist: ['*.org']",
    '2:31  federation_domain_whitelist[0]: is "*.org"; expected: a server name',
  ],
  [
    'look-around',
    'url_preview_url_blacklist:\n  - path: "^/(?!a)"',
    '3:11  url_preview_url_blacklist[0].path: is not a usable pattern (invalid or unsupported',
  ],
  [
    'a pattern of 2,500 stars',
    `url_preview_url_blacklist:\n  - path: "${'*a'.repeat(2500)}"`,
    '3:11  url_preview_url_blacklist[0].path: is longer than 2000 characters',
  ],
  [
    'a rule that matches all',
    'url_preview_url_blacklist: [{}]',
    '2:29  url_preview_url_blacklist[0]: names no component and would match every address',
  ],
  [
    'a short old key',
    'old_signing_keys:\n  ed25519:a: {key: AAAA, expired_ts: 1}',
    '3:20  old_signing_keys.ed25519:a.key: is "AAAA"; expected: an Ed25519 public key',
  ],
  [
    'an address with a password',
    'alerts: {webhook: {url: "https://u:hunter2@h/x"}}',
    '2:25  alerts.webhook.url: has the wrong form; expected: an http or https address without user name',
  ],
  ['a tab', 'log:\n\tlevel: info', '3:1  cannot be read as YAML: Tabs are not allowed as indentation'],
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
    ['server_name: https://a.org', '1:14  server_name: is "https://a.org"; expected: a server name'],
    ['server_name: a.org:99999', '1:14  server_name: is "a.org:99999"; expected: a server name'],
    ['- a', '1:1  is a list; expected: a map of settings'],
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
