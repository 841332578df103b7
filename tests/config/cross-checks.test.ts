import { describe, expect, it } from 'vitest';

import { formatConfigError } from '../../src/config/config-errors.js';
import { createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);

const listeners = (...entries: string[]) =>
  `listeners:\n${entries.map((entry) => `  - {${entry}}\n`).join('')}`;

const ERRORS: [string, string, string][] = [
  [
    'TLS without certificate',
    listeners('port: 1, tls: true, resources: [keys]'),
    'tls_certificate_path: is missing; a listener has tls: true',
  ],
  [
    "a name that may be the homeserver's, without a word about its keys",
    'dialect: matrix\nauth: {homeserver_url: "http://h"}',
    "signing_key_path: is missing; if server_name is the homeserver's name",
  ],
  ['PostgreSQL without address', 'database: {engine: postgresql}', 'database.url: is missing'],
  [
    'media that go before the previews that name them',
    'previews: {media_retention: 25h}',
    'previews.media_retention: is "25h"; expected:',
  ],
  ['a proxy nobody vouches for', 'previews: {proxy_url: "http://p:1"}', 'previews.proxy_url: is set, but'],
  [
    'a designated instance among nameless ones',
    'media_instance_running_background_jobs: a',
    'jobs.instance: is missing',
  ],
  [
    "the operators' pages on all addresses",
    listeners("port: 1, bind_addresses: ['0.0.0.0'], resources: [admin]"),
    'listeners[0]: serves admin on 0.0.0.0; set admin.public_url',
  ],
  [
    "the operators' pages in the clear",
    'admin: {public_url: "http://ops.example.org"}',
    'admin.public_url: uses http; outside this machine it must be https',
  ],
  [
    'the path of the key queries',
    'admin: {base_path: /_svc/admin}',
    'admin.base_path: is "/_svc/admin", which',
  ],
];

const WARNINGS: [string, string, string][] = [
  [
    'metrics in public',
    listeners('port: 1, bind_addresses: [0.0.0.0], resources: [keys, metrics]'),
    'listeners[0]: serves metrics on the address clients and peers use',
  ],
  ['no denied addresses', 'ip_range_blacklist: []', 'ip_range_blacklist: is empty: anyone'],
  [
    'accounts in the neutral dialect',
    'admin: {matrix_accounts: {"@a:b": admin}}',
    'admin.matrix_accounts: is used only with dialect: matrix',
  ],
  [
    'a homeserver that is not named',
    `dialect: matrix\n${listeners('port: 1, resources: [keys]')}`,
    'auth.homeserver_url: is missing with dialect: matrix',
  ],
  [
    'the pages of operators among those of clients',
    `admin: {public_url: "https://o.example"}\n${listeners("port: 1, bind_addresses: ['::'], resources: [keys, admin]")}`,
    'listeners[0]: serves admin on the address clients and peers use',
  ],
];

describe('settings against each other', () => {
  it.each(ERRORS)('%s is an error with its line', async (_what, text, expected) => {
    const errors = await folder.errors(`server_name: a.org\n${text}`);

    expect(errors[0]).toMatch(/^config\.yaml:[1-9]\d*:[1-9]\d*  /);
    expect(errors[0]).toContain(expected);
  });

  it.each(WARNINGS)('%s is a warning', async (_what, text, expected) => {
    const loaded = await folder.load(`server_name: a.org\n${text}`);

    expect(loaded.ok).toBe(true);
    expect(loaded.warnings).toHaveLength(1);
    expect(loaded.warnings.map(formatConfigError)[0]).toContain(expected);
  });
});
