import { beforeAll, describe, expect, it } from 'vitest';

import { OperationRunner } from '../run-operation.js';
import { setService } from '../../support/world.js';

const RULES = `query ($kind: RuleKind) { blockRules(kind: $kind) {
  id kind setting position origin hits lastHitAt parts { component pattern } } }`;
const HITS = `query ($first: Int, $after: String, $filter: HitFilter) {
  blockHits(first: $first, after: $after, filter: $filter) {
    nodes { id at url stage rule { id } ruleText address requestId owner }
    pageInfo { hasNextPage endCursor } totalCount } }`;
const CHECK = `query ($url: String!) { checkUrl(url: $url) {
  url blocked message matches { id } addresses { address allowed rule { id } } } }`;
const HOST_RULE = { hostname: '*.blocked.test' };

describe('blocking for operators', () => {
  const service = setService({ settings: { url_preview_url_blacklist: [HOST_RULE] } });
  let runner: OperationRunner;
  beforeAll(async () => {
    runner = new OperationRunner(service.context.services.operators);
    const { hits } = service.context.services.previews;
    const base = { stage: 'target', userId: '@alice:test', address: null, requestId: 'r' } as const;
    for (let at = 0; at < 5; at += 1) {
      const url = `https://www.blocked.test/${at}?secret=${at}`;
      hits.record({ ...base, url, rule: JSON.stringify(HOST_RULE), requestId: `r${at}` });
    }
    const rule = 'url_preview_ip_range_blacklist: 10.0.0.0/8';
    hits.record({ ...base, url: 'http://in.test/', stage: 'redirect', rule, address: '10.0.0.1' });
    hits.record({ ...base, url: 'http://gone.test/', rule: '{"hostname":"gone.test"}' });
    await hits.flush();
  });

  it('rules tell what they say, where, and how often they refused', async () => {
    const { data } = await runner.run(RULES, { kind: 'URL_PATTERN' });
    expect(data.blockRules).toMatchObject([
      {
        kind: 'URL_PATTERN',
        setting: 'url_preview_url_blacklist',
        position: 0,
        hits: 5,
        lastHitAt: new Date(service.clock.now()).toISOString(),
        parts: [{ component: 'hostname', pattern: '*.blocked.test' }],
      },
    ]);
    const all = (await runner.run(RULES)).data.blockRules as { hits: number; kind: string }[];
    expect(all.filter(({ hits }) => hits > 0)).toHaveLength(2);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['URL_PATTERN', 'IP_DENY', 'IP_ALLOW']));
  });

  it('hits name their rule; one whose rule is gone keeps its text', async () => {
    const { data } = await runner.run(HITS);
    const [gone, redirect, newest] = data.blockHits.nodes;

    expect(gone).toMatchObject({ rule: null, ruleText: '{"hostname":"gone.test"}' });
    expect(redirect).toMatchObject({
      stage: 'REDIRECT',
      address: '10.0.0.1',
      rule: { id: expect.any(String) },
    });
    expect(newest).toMatchObject({
      requestId: 'r4',
      owner: '@alice:test',
      at: new Date(service.clock.now()).toISOString(),
    });
    expect(data.blockHits.totalCount).toBe(7);
  });

  it('hits are filtered by rule and kind, and paged', async () => {
    const [rule] = (await runner.run(RULES, { kind: 'URL_PATTERN' })).data.blockRules;
    const first = (await runner.run(HITS, { first: 3, filter: { ruleId: rule.id } })).data.blockHits;
    const { endCursor } = first.pageInfo;
    const next = (await runner.run(HITS, { first: 3, after: endCursor, filter: { ruleId: rule.id } })).data
      .blockHits;
    expect([...first.nodes, ...next.nodes].map(({ requestId }) => requestId)).toEqual([
      'r4',
      'r3',
      'r2',
      'r1',
      'r0',
    ]);
    expect(next.pageInfo.hasNextPage).toBe(false);

    const count = async (filter: object) => (await runner.run(HITS, { filter })).data.blockHits.totalCount;
    expect(await count({ kind: 'IP_DENY' })).toBe(1);
    expect(await count({ kind: 'IP_ALLOW' })).toBe(0);
    expect(await count({ ruleId: 'nonsense' })).toBe(0);
    expect(await count({ stage: 'REDIRECT', after: '1970-01-01T00:00:02Z' })).toBe(1);
  });

  it('below admin there are no owners, for viewers no query strings', async () => {
    const filter = { search: 'r4' };
    const operator = (await runner.run(HITS, { filter }, 'operator')).data.blockHits.nodes;
    expect(operator).toMatchObject([{ owner: null, url: 'https://www.blocked.test/4?secret=4' }]);
    const viewer = (await runner.run(HITS, { filter }, 'viewer')).data.blockHits.nodes;
    expect(viewer).toMatchObject([{ owner: null, url: 'https://www.blocked.test/4?…' }]);

    const found = async (search: string, role: 'operator' | 'viewer') =>
      (await runner.run(HITS, { filter: { search } }, role)).data.blockHits.totalCount;
    expect([await found('secret=4', 'operator'), await found('secret=4', 'viewer')]).toEqual([1, 0]);
    expect(await found('blocked.test/4', 'viewer')).toBe(1);
  });

  it('a URL is checked by the rules that previews use', async () => {
    expect(
      (await runner.run(CHECK, { url: 'http://x.blocked.test/' }, 'viewer')).data.checkUrl,
    ).toMatchObject({
      blocked: true,
      matches: [{ id: expect.any(String) }],
    });
    expect((await runner.run(CHECK, { url: 'http://10.9.9.9/' })).data.checkUrl).toMatchObject({
      blocked: true,
      addresses: [{ address: '10.9.9.9', allowed: false, rule: { id: expect.any(String) } }],
    });
    // As long as what previews fetch.
    const long = 'http://x.test/'.padEnd(8192, 'x');
    expect((await runner.run(CHECK, { url: long })).data.checkUrl).toMatchObject({ blocked: false });
    expect((await runner.run(CHECK, { url: `${long}x` })).errors).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  });
});
