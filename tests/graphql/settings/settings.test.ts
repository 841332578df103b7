import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../../src/config/load-config.js';
import { AppContext } from '../../../src/composition/context.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase, type TestDatabase } from '../../support/store/databases.js';
import { OperationRunner } from '../run-operation.js';

const SETTINGS = `query ($search: String) { settings(search: $search) {
  path value secret isSet source origin defaultValue description restartNeeded isWaiting waitingValue } }`;
const RELOAD = `mutation ($dryRun: Boolean!) { reloadSettings(dryRun: $dryRun) {
  userErrors { code message } changed { path from to waits } } }`;

describe('settings for operators', () => {
  let folder: string;
  let database: TestDatabase;
  let context: AppContext;
  let runner: OperationRunner;
  const path = () => join(folder, 'config.yaml');
  const write = (text: string) =>
    writeFileSync(
      path(),
      `server_name: notary.test\ndatabase:\n  path: ${(database.options as { path: string }).path}\n${text}`,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-reload-'));
    database = await createTestDatabase('sqlite');
    write('max_spider_size: 5M\n');
    const read = () => loadConfig({ path: path(), env: {}, cwd: folder });
    const loaded = read();
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    context = await AppContext.create({ ...loaded, read }, { logger: createLogger({ level: 'silent' }) });
    await context.open();
    context.start();
    runner = new OperationRunner(context.services.operators);
  });
  afterAll(async () => {
    await context.close();
    await database.cleanup();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    write('max_spider_size: 5M\n');
    await runner.run(RELOAD, { dryRun: false });
  });

  it('tell where each stands and whether it needs a restart', async () => {
    expect((await runner.run(SETTINGS, { search: 'spider' }, 'operator')).data.settings).toEqual([
      {
        path: 'max_spider_size',
        value: '5M',
        secret: false,
        isSet: true,
        source: 'FILE',
        origin: `${path()}:4`,
        defaultValue: '10M',
        description: expect.any(String),
        restartNeeded: true,
        isWaiting: false,
        waitingValue: null,
      },
    ]);
    expect((await runner.run(SETTINGS, {}, 'viewer')).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  it('a reload changes rules, ranges, whitelist, rate limit and log level of the running service', async () => {
    const { requestPolicies } = context.services.previews;
    const { whitelist } = context.services.keys;
    expect(requestPolicies.rules.match('http://a.test/')).toBeNull();
    expect([requestPolicies.policy.verdict('10.0.0.1'), requestPolicies.policy.verdict('8.8.8.8')]).toEqual([
      'blocked',
      'allowed',
    ]);
    expect(whitelist.allows('b.test')).toBe(true);

    write(`url_preview_url_blacklist: [{ hostname: a.test }]
url_preview_ip_range_whitelist: [10.0.0.1]
url_preview_ip_range_blacklist: [10.0.0.0/8, 8.8.8.8]
ip_range_whitelist: [10.0.0.2]
federation_domain_whitelist: [a.test]
log: { level: error }
previews: { rate_limit: { burst: 1, interval: 1h } }
`);
    const { reloadSettings } = (await runner.run(RELOAD, { dryRun: false })).data;

    expect(reloadSettings).toMatchObject({ userErrors: [] });
    expect(requestPolicies.rules.match('http://a.test/')).toMatchObject({ index: 0 });
    expect([requestPolicies.policy.verdict('10.0.0.1'), requestPolicies.policy.verdict('8.8.8.8')]).toEqual([
      'allowed',
      'blocked',
    ]);
    expect(context.parts.policy.verdict('10.0.0.2')).toBe('allowed');
    expect([whitelist.allows('a.test'), whitelist.allows('b.test')]).toEqual([true, false]);
    expect(whitelist.sourceOf('a.test')).toBe(`entry 1 of federation_domain_whitelist (${path()}:8)`);
    expect(context.parts.logger.level).toBe('error');
    requestPolicies.rateLimit.take('@alice:test');
    expect(() => requestPolicies.rateLimit.take('@alice:test')).toThrow('Too many previews');
    expect(context.services.operators.blocking.registry.list('url_pattern')).toMatchObject([
      { origin: `${path()}:4` },
    ]);
  });

  it('a faulty file leaves everything as it is and says what is wrong where', async () => {
    write('url_preview_url_blacklist: [{ hostname: a.test }]\nlog: { level: loud }\n');
    const { reloadSettings } = (await runner.run(RELOAD, { dryRun: false })).data;

    expect(reloadSettings).toEqual({
      userErrors: [
        {
          code: 'INVALID',
          message: expect.stringMatching(/config\.yaml:5:15 {2}log\.level: is "loud"; expected: one of/),
        },
      ],
      changed: [],
    });
    expect(context.services.previews.requestPolicies.rules.match('http://a.test/')).toBeNull();
  });

  it('a dry run tells without changing; only admins may do either', async () => {
    write('url_preview_url_blacklist: [{ hostname: a.test }]\nmax_spider_size: 6M\n');
    const { reloadSettings } = (await runner.run(RELOAD, { dryRun: true })).data;

    expect(reloadSettings).toMatchObject({
      changed: [
        { path: 'url_preview_url_blacklist', waits: false },
        { path: 'max_spider_size', to: '6M', waits: true },
      ],
    });
    expect(context.services.previews.requestPolicies.rules.match('http://a.test/')).toBeNull();
    expect((await runner.run(RELOAD, { dryRun: true }, 'operator')).errors).toMatchObject([
      { code: 'FORBIDDEN' },
    ]);
  });
});
