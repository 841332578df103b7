import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createNameParts, type NameParts } from '../../../../src/composition/names.js';
import { parseConfig } from '../../../../src/config/parse-config.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import type { RuleList } from '../../../../src/core/operators/blocking/added-rule.js';
import {
  RuleTrial,
  TRIED_ADDRESSES,
  type RuleTrialOptions,
} from '../../../../src/core/operators/blocking/rule-trial.js';
import { seenUrls } from '../../../../src/core/operators/blocking/seen-urls.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

type TrialTimes = Partial<Pick<RuleTrialOptions, 'monotonicNowMs' | 'maxAddresses'>>;

const NOTHING = { count: 0, examples: [] };

describe.each(testEngines())('a rule is tried before it is saved, on %s', (engine) => {
  let home: TestDatabase;
  let database: Database;
  let names: NameParts;

  beforeAll(async () => {
    home = await createTestDatabase(engine);
    database = await openDatabase(home.options, createLogger({ level: 'silent' }));
    const hosts = { 'one.test': ['93.184.216.34'], 'two.test': ['198.51.100.7'] };
    // Nobody answers there about other names.
    const parsed = parseConfig({ server_name: 'a.test', dns: { hosts, servers: ['127.0.0.1:1'] } });
    if (!parsed.ok) throw new Error('not a configuration');
    names = createNameParts(parsed.config, { clock: systemClock });
  });
  afterAll(async () => {
    names.lookups.close();
    await database.close();
    await home.cleanup();
  });
  beforeEach(async () => {
    await database.client.previewCache.deleteMany();
    await database.client.blacklistHit.deleteMany();
    await database.client.remoteServer.deleteMany();
  });

  const previewed = (urls: readonly string[], fromTs: number) =>
    database.client.previewCache.createMany({
      data: urls.map((url, index) => {
        const ts = BigInt(fromTs + index);
        const times = { createdTs: ts, downloadTs: ts, expiresTs: ts };
        return { url, urlSha256: '', responseCode: 200, openGraph: '{}', mediaId: '', ...times };
      }),
    });
  const refused = (url: string, ts: number, address: string | null = null) =>
    database.client.blacklistHit.create({
      data: { url, ts: BigInt(ts), stage: 'target', rule: 'x', address },
    });
  const fetched = (serverNames: readonly string[]) =>
    database.client.remoteServer.createMany({
      data: serverNames.map((serverName, index) => ({
        serverName,
        firstAskedTs: 0n,
        lastFetchTs: BigInt(index),
        throttleTokens: 0,
        throttleTokensTs: 0n,
      })),
    });
  const tried = (
    list: RuleList,
    value: string,
    { inEffect = {}, ...rest }: { inEffect?: Partial<Record<RuleList, string[]>> } & TrialTimes = {},
  ) => {
    const trial = new RuleTrial({
      database,
      resolver: names.resolver,
      inEffect: (of) => inEffect[of] ?? [],
      usesProxy: false,
      monotonicNowMs: () => 0,
      ...rest,
    });
    return trial.try({ before: null, after: { list, value, isEnabled: true, note: '' } });
  };

  it('a range that refuses: each address once, the newest five as examples, unknown names unjudged', async () => {
    const ones = [1, 2, 3, 4, 5, 6].map((page) => `https://one.test/${page}`);
    await previewed([...ones, 'https://two.test/', 'https://silent.test/'], 10);
    await refused('https://one.test/1', 30);

    expect(await tried('url_preview_ip_range_blacklist', '93.184.216.0/24')).toEqual({
      looked: 8,
      unjudged: 1,
      isCut: false,
      newlyRefused: { count: 6, examples: [1, 6, 5, 4, 3].map((page) => `https://one.test/${page}`) },
      newlyAllowed: NOTHING,
    });
  });

  it('a range that allows what another refuses, by the address that was refused', async () => {
    await previewed(['https://one.test/', 'https://two.test/'], 10);
    await refused('http://moved.test/', 20, '10.1.2.3');
    const inEffect = { url_preview_ip_range_blacklist: ['10.0.0.0/8', '93.184.216.0/24'] };
    const list = 'url_preview_ip_range_whitelist';

    expect(await tried(list, '93.184.216.34', { inEffect })).toMatchObject({
      looked: 3,
      unjudged: 0,
      newlyRefused: NOTHING,
      newlyAllowed: { count: 1, examples: ['https://one.test/'] },
    });
    expect(await tried(list, '10.1.2.3', { inEffect })).toMatchObject({
      newlyAllowed: { count: 1, examples: ['http://moved.test/'] },
    });
    // Those of key fetches are other lists.
    expect(await tried('ip_range_whitelist', '10.1.2.3', { inEffect })).toMatchObject({ looked: 0 });
  });

  it('ranges of key fetches, on servers', async () => {
    await fetched(['one.test', '198.51.100.7:8448', 'two.test:8448', '[2001:db8::1]:8448']);
    const inEffect = { ip_range_blacklist: ['198.51.100.0/24'] };

    expect(await tried('ip_range_blacklist', '2001:db8::/32', { inEffect })).toMatchObject({
      looked: 4,
      newlyRefused: { count: 1, examples: ['https://[2001:db8::1]:8448/'] },
      newlyAllowed: NOTHING,
    });
    expect(await tried('ip_range_whitelist', '198.51.100.7', { inEffect })).toMatchObject({
      newlyRefused: NOTHING,
      newlyAllowed: { count: 2, examples: ['https://two.test:8448/', 'https://198.51.100.7:8448/'] },
    });
  });

  it('on the latest up to a bound, ten thousand, and says when time ran out before', async () => {
    const addresses = Array.from({ length: 12 }, (_, at) => `11.0.0.${at}`);
    const newest = addresses.map((address) => `https://${address}/`).toReversed();
    await fetched(addresses);
    await previewed(newest.toReversed(), 10);

    for (const list of ['ip_range_blacklist', 'url_preview_ip_range_blacklist'] as const) {
      expect(await tried(list, '11.0.0.0/8', { maxAddresses: 10 })).toMatchObject({
        looked: 10,
        isCut: false,
        newlyRefused: { count: 10, examples: newest.slice(0, 5) },
      });
      let nowMs = 0;
      const cut = await tried(list, '11.0.0.0/8', { monotonicNowMs: () => (nowMs += 2000) });
      expect(cut).toMatchObject({ isCut: true });
      expect(cut.looked).toBeLessThan(10);
    }
    expect(TRIED_ADDRESSES).toBe(10_000);
  });

  it('addresses seen come newest first, each once, up to a bound', async () => {
    await previewed(['https://a.test/', 'https://b.test/', 'https://c.test/'], 10);
    await refused('https://d.test/', 11);
    await refused('https://a.test/', 40);
    const seen: string[] = [];
    for await (const { url } of seenUrls(database, 3)) seen.push(url);

    expect(seen).toEqual(['https://a.test/', 'https://c.test/', 'https://b.test/']);
  });
});
