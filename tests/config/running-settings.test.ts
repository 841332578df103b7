import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../src/config/load-config.js';
import { RunningSettings } from '../../src/config/running-settings.js';
import type { SourcedConfig } from '../../src/config/setting-view.js';
import { listSettings } from '../../src/config/setting-tree.js';
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

  it('tell value, default, source and place', () => {
    const settings = start();

    expect(one(settings, 'log.level')).toMatchObject({
      value: 'info',
      defaultValue: 'info',
      source: 'file',
      origin: `${path}:3`,
      restartNeeded: false,
    });
    expect(one(settings, 'federation_domain_whitelist')).toMatchObject({
      value: ['x.test', 'y.test'],
      source: 'environment',
      origin: 'VIDIMUS__FEDERATION_DOMAIN_WHITELIST',
    });
    expect(one(settings, 'max_spider_size')).toMatchObject({ value: '5M', restartNeeded: true });
    expect(one(settings, 'metrics_require_token')).toMatchObject({
      source: 'default',
      origin: null,
      isSet: true,
    });
    expect(one(settings, 'public_baseurl')).toMatchObject({ value: null, isSet: false });
    expect(settings.list()).toHaveLength(listSettings().length);
  });

  it('entries of a list stand on lines of their own, those of a variable in it', () => {
    const { originOf } = start().running;

    expect(originOf(['url_preview_url_blacklist', 1])).toBe(`${path}:6`);
    expect(originOf(['federation_domain_whitelist', 1])).toBe('VIDIMUS__FEDERATION_DOMAIN_WHITELIST');
    expect(originOf(['ip_range_blacklist', 0])).toBeNull();
  });

  it('never tell secrets, in no form', () => {
    const settings = start();

    expect(one(settings, 'database.url')).toMatchObject({ value: null, isSecret: true, isSet: true });
    expect(JSON.stringify(settings.list())).not.toMatch(/hunter2|db\.test/);
  });

  it('tell whether a secret is set', () => {
    const settings = start();
    expect(one(settings, 'alerts.webhook.url')).toMatchObject({ value: null, isSecret: true, isSet: false });

    const webhook = '{url: "https://hooks.test/hunter2", secret: hunter2-hunter2-hunter2}';
    write(`${FIRST}alerts: {webhook: ${webhook}}\n`);
    const report = settings.reload({ dryRun: false });

    expect(report.errors).toEqual([]);
    expect(one(settings, 'alerts.webhook.url')).toMatchObject({ value: null, isSet: true });
    expect(JSON.stringify([report, settings.list()])).not.toContain('hunter2');
  });

  it('are found by name, meaning and by the name Synapse has for them', () => {
    const settings = start();
    const found = (search: string) => settings.list(search).map((setting) => setting.path);

    expect(found('SPIDER')).toEqual(['max_spider_size']);
    expect(found('worker_name')).toContain('jobs.instance');
    expect(found('exceptions from ip_range')).toEqual(['ip_range_whitelist']);
    expect(found('no such thing')).toEqual([]);
  });

  it('a reload applies what is live, and says what waits for a restart', () => {
    const settings = start();
    write(
      FIRST.replace('level: info', 'level: debug').replace('5M', '6M').replace('  - hostname: a.test\n', ''),
    );

    const report = settings.reload({ dryRun: false });

    expect(report).toMatchObject({ errors: [], restartNeeded: true });
    expect(report.changed.map(({ path: name, value }) => [name, value])).toEqual([
      ['url_preview_url_blacklist', [{ hostname: 'b.test' }]],
      ['max_spider_size', '6M'],
      ['log.level', 'debug'],
    ]);
    expect(applied).toHaveLength(1);
    const [{ config, originOf }] = applied as [SourcedConfig];
    expect(config).toMatchObject({ log: { level: 'debug' }, max_spider_size: 5 * 1024 * 1024 });
    expect(originOf(['url_preview_url_blacklist', 0])).toBe(`${path}:5`);
    expect(one(settings, 'log.level')).toMatchObject({
      value: 'debug',
      changedSinceStart: true,
      isWaiting: false,
    });
    expect(one(settings, 'max_spider_size')).toMatchObject({
      value: '5M',
      changedSinceStart: false,
      isWaiting: true,
      waitingValue: '6M',
    });
  });

  it('a dry run applies nothing and says the same', () => {
    const settings = start();
    write(FIRST.replace('level: info', 'level: debug'));

    const tried = settings.reload({ dryRun: true });
    expect(tried).toMatchObject({ restartNeeded: false, changed: [{ path: 'log.level', value: 'debug' }] });
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

  it('a value that waits keeps its place', () => {
    const settings = start();
    write(`\n${FIRST.replace('5M', '6M')}`);
    settings.reload({ dryRun: false });

    expect(one(settings, 'max_spider_size').origin).toBe(`${path}:7`);
    expect(one(settings, 'log.level').origin).toBe(`${path}:4`);
  });

  it('tell when the configuration was last read, also for a dry run or a look at what was faulty', () => {
    const settings = start();
    const startTs = clock.now();
    clock.advance(1000);
    expect(settings.problem()).toBeNull();
    expect(settings.readTs).toBe(startTs);
    write('log: { level: loud }\n');
    settings.reload({ dryRun: true });
    expect(settings.readTs).toBe(startTs + 1000);
    clock.advance(1000);
    expect(settings.problem()).toContain('server_name: is missing');
    expect(settings.readTs).toBe(startTs + 2000);
  });

  it('going back to the old file leaves nothing waiting', () => {
    const settings = start();
    write(FIRST.replace('5M', '6M'));
    settings.reload({ dryRun: false });
    write(FIRST);

    expect(settings.reload({ dryRun: false })).toMatchObject({ changed: [], restartNeeded: false });
    expect(one(settings, 'max_spider_size').isWaiting).toBe(false);
  });
});
