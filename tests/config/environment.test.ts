import { describe, expect, it } from 'vitest';

import { formatConfigError } from '../../src/config/config-errors.js';
import { loadConfig } from '../../src/config/load-config.js';
import { configOf, createConfigFolder } from './support.js';
import { setUp } from '../support/set-up.js';

const folder = setUp(createConfigFolder);

describe('environment variables', () => {
  it('override the file, in any case and any form', async () => {
    const loaded = await folder.load('server_name: a.org\nlog: {level: warn}\n', {
      VIDIMUS__LOG__LEVEL: 'debug',
      vidimus__previews__rate_limit__burst: '7',
      VIDIMUS__MAX_SPIDER_SIZE: '5M',
      VIDIMUS__SERVER_NAME: '1.2.3.4',
      VIDIMUS__FEDERATION_DOMAIN_WHITELIST: '[b.org, "c.org:1"]',
      VIDIMUS__DNS__HOSTS: '{B.org: [127.0.0.1]}',
      VIDIMUS__ADMIN__ENVIRONMENT__LABEL: '12345',
      VIDIMUS__URL_PREVIEW_ENABLED: 'false',
      VIDIMUS: 'ignored',
      OTHER__NAME: 'ignored',
    });
    const config = configOf(loaded);

    expect(config.log.level).toBe('debug');
    expect(config.previews.rate_limit.burst).toBe(7);
    expect(config.max_spider_size).toBe(5 * 1024 * 1024);
    expect(config.server_name).toBe('1.2.3.4');
    expect(config.federation_domain_whitelist).toEqual(['b.org', 'c.org:1']);
    expect(config.dns.hosts.get('b.org')).toEqual(['127.0.0.1']);
    expect(config.admin.environment.label).toBe('12345');
    expect(config.url_preview_enabled).toBe(false);
    expect(loaded.ok && loaded.originOf(['log', 'level'])).toBe('VIDIMUS__LOG__LEVEL');
  });

  it('take text as it stands: # and : are no YAML there', async () => {
    const loaded = await folder.load('server_name: a.org', { VIDIMUS__ADMIN__ENVIRONMENT__LABEL: 'a #b: c' });

    expect(configOf(loaded).admin.environment.label).toBe('a #b: c');
  });

  it.each([
    ['VIDIMUS__LOG__LEVL', 'info', 'log.levl: unknown setting; did you mean log.level?'],
    ['VIDIMUS__LOG', '{level: info}', 'log: is a group; set its members one by one'],
    ['VIDIMUS__LOG__LEVEL', 'loud', 'log.level: is "loud"; expected: one of'],
    ['VIDIMUS__FEDERATION_DOMAIN_WHITELIST', '', 'federation_domain_whitelist: is empty; unset the variable'],
    [
      'VIDIMUS__FEDERATION_DOMAIN_WHITELIST',
      'a.org',
      'federation_domain_whitelist: is "a.org"; expected: a list',
    ],
    ['VIDIMUS____PROTO__', '1', '__proto__: unknown setting'],
  ])('%s=%s is an error that names the variable', async (variable, value, expected) => {
    const errors = await folder.errors('server_name: a.org', { [variable]: value });

    expect(errors).toHaveLength(1);
    expect(errors[0]?.startsWith(`${variable}  `)).toBe(true);
    expect(errors[0]).toContain(expected === '__proto__: unknown setting' ? 'unknown setting' : expected);
  });

  it('with one underscore too few are told with the right name, others that begin so are left alone', async () => {
    const loaded = await folder.load('server_name: a.org', {
      VIDIMUS_LOG_LEVEL: 'debug',
      VIDIMUS_DATABASE__MAX_CONNECTIONS: '3',
      VIDIMUS_PORT_8008_TCP: 'tcp://10.0.0.1:8008',
      VIDIMUS_CONFIG: 'config.yaml',
    });

    expect(loaded.warnings.map(formatConfigError)).toEqual([
      expect.stringContaining(
        'is not set by VIDIMUS_DATABASE__MAX_CONNECTIONS; the variable is VIDIMUS__DATABASE__MAX_CONNECTIONS',
      ),
      expect.stringContaining(
        'log.level: is not set by VIDIMUS_LOG_LEVEL; the variable is VIDIMUS__LOG__LEVEL',
      ),
    ]);
  });

  it('that differ only in case contradict each other', async () => {
    const env = { VIDIMUS__DIALECT: 'svc', vidimus__dialect: 'matrix' };

    const errors = await folder.errors('server_name: a.org', env);

    expect(errors).toEqual(['vidimus__dialect  dialect: is set by VIDIMUS__DIALECT too']);
  });

  it('alone make a configuration without a file', () => {
    const env = { VIDIMUS__SERVER_NAME: 'c.org', VIDIMUS__DATABASE__PATH: 'x.db' };

    const config = configOf(loadConfig({ path: null, env, cwd: '/srv/v' }));

    expect(config.server_name).toBe('c.org');
    expect(config.database.path).toBe('/srv/v/x.db');
  });
});
