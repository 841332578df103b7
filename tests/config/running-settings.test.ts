import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../src/config/load-config.js';
import { RunningSettings } from '../../src/config/running-settings.js';
import type { SourcedConfig } from '../../src/config/setting-view.js';
import { createLogger } from '../../src/core/base/logger.js';
import { ManualClock } from '../support/manual-clock.js';

const FIRST = `server_name: notary.test
log:
  level: info
url_preview_url_blacklist:
  - hostname: a.test
  - hostname: b.test
max_spider_size: 5M
database:
  engine: postgresql
  url: postgresql://me:hunter2@db.test/vidimus
`;

describe('the settings of a running service', () => {
  let folder: string;
  let path: string;
  let applied: SourcedConfig[];
  const clock = new ManualClock();
  const env = { VIDIMUS__FEDERATION_DOMAIN_WHITELIST: '[x.test, y.test]' };

  const write = (text: string) => writeFileSync(path, text);
  const read = () => loadConfig({ path, env, cwd: folder });
  function start(): RunningSettings {
    const loaded = read();
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    applied = [];
    return new RunningSettings({
      initial: loaded,
      read,
      apply: (settings) => applied.push(settings),
      clock,
      logger: createLogger({ level: 'silent' }),
    });
  }
  const one = (settings: RunningSettings, name: string) =>
    settings.list().find((setting) => setting.path === name)!;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-settings-'));
    path = join(folder, 'config.yaml');
    write(FIRST);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('entries of a list stand on lines of their own, those of a variable in it', () => {
    const { originOf } = start().running;

    expect(originOf(['url_preview_url_blacklist', 1])).toBe(`${path}:6`);
    expect(originOf(['federation_domain_whitelist', 1])).toBe('VIDIMUS__FEDERATION_DOMAIN_WHITELIST');
    expect(originOf(['ip_range_blacklist', 0])).toBeNull();
  });

  it('a reload applies what is live, and says what waits for a restart', () => {
    const settings = start();
    write(
      FIRST.replace('level: info', 'level: debug').replace('5M', '6M').replace('  - hostname: a.test\n', ''),
    );

    const report = settings.reload({ dryRun: false });

    expect(report).toEqual({
      errors: [],
      changed: [
        {
          path: 'url_preview_url_blacklist',
          from: [{ hostname: 'a.test' }, { hostname: 'b.test' }],
          to: [{ hostname: 'b.test' }],
          waits: false,
        },
        { path: 'max_spider_size', from: '5M', to: '6M', waits: true },
        { path: 'log.level', from: 'info', to: 'debug', waits: false },
      ],
    });
    expect(applied).toHaveLength(1);
    const [{ config, originOf }] = applied as [SourcedConfig];
    expect(config).toMatchObject({ log: { level: 'debug' }, max_spider_size: 5 * 1024 * 1024 });
    expect(originOf(['url_preview_url_blacklist', 0])).toBe(`${path}:5`);
    expect(one(settings, 'log.level')).toMatchObject({
      value: 'debug',
      isWaiting: false,
    });
    expect(one(settings, 'max_spider_size')).toMatchObject({
      value: '5M',
      isWaiting: true,
      waitingValue: '6M',
    });
  });

  it('a dry run applies nothing and says the same', () => {
    const settings = start();
    write(FIRST.replace('level: info', 'level: debug'));

    const tried = settings.reload({ dryRun: true });
    expect(tried).toMatchObject({ changed: [{ path: 'log.level', to: 'debug' }] });
    expect(applied).toEqual([]);
    expect(one(settings, 'log.level').value).toBe('info');
    expect(settings.reload({ dryRun: false }).changed).toEqual(tried.changed);
  });

  it('a broken file changes nothing and is told with line, column and the wanted form', () => {
    const settings = start();
    write(`${FIRST.replace('level: info', 'level: loud')}previews:\n  rate_limit:\n    burst: many\n`);

    const { errors, changed } = settings.reload({ dryRun: false });
    expect(errors).toEqual([
      expect.stringMatching(/config\.yaml:3:10 {2}log\.level: is "loud"; expected: one of trace, debug/),
      expect.stringMatching(
        /config\.yaml:13:12 {2}previews\.rate_limit\.burst: is "many"; expected: a whole number/,
      ),
    ]);
    expect(changed).toEqual([]);
    expect(applied).toEqual([]);
    expect(one(settings, 'log.level').value).toBe('info');

    write('server_name: [');
    expect(settings.reload({ dryRun: false }).errors[0]).toMatch(
      /config\.yaml:\d+:\d+ .*cannot be read as YAML/,
    );
  });
});
