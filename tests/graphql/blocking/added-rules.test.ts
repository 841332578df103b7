import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { parseConfig } from '../../../src/config/parse-config.js';
import { MINUTE_MS } from '../../../src/core/base/clock.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { redirect } from '../../support/origins/remote-site.js';
import { testEngines } from '../../support/store/databases.js';
import { startPreviewAdminKit, type PreviewAdminKit } from '../previews/preview-admin-kit.js';

const RULE = 'rule { id revision standing note createdBy source undoUntil } userErrors { code message }';
const ADD = `mutation ($input: AddBlockRuleInput!) { addBlockRule(input: $input) { ${RULE} } }`;
const CHANGE = `mutation ($input: ChangeBlockRuleInput!) { changeBlockRule(input: $input) { ${RULE} } }`;
const REMOVE = `mutation ($input: RemoveBlockRuleInput!) { removeBlockRule(input: $input) { ${RULE} } }`;
const UNDO = `mutation ($input: UndoBlockRuleInput!) { undoBlockRule(input: $input) { ${RULE} } }`;
const TRY = `mutation ($input: TryBlockRuleInput!) { tryBlockRule(input: $input) { userErrors { message }
  trial { looked unjudged isCut opensInternal newlyRefused { count examples } newlyAllowed { count examples } } } }`;

interface Changed {
  rule: { id: string; revision: number; standing: string; source: string; undoUntil: string | null } | null;
  userErrors: { code: string; message: string }[];
}

const FILE_RULE = { hostname: 'site.test', path: '/file/*' };
const URLS = 'URL_PREVIEW_URL_BLACKLIST';
const RANGES = 'URL_PREVIEW_IP_RANGE_BLACKLIST';
const ALLOWED = 'URL_PREVIEW_IP_RANGE_WHITELIST';

describe.each(testEngines())('rules that operators add, on %s', (engine) => {
  let kit: PreviewAdminKit;
  beforeAll(async () => {
    kit = await startPreviewAdminKit(engine, { url_preview_url_blacklist: [FILE_RULE] });
    for (const path of ['/open', '/undone', '/there', '/file/x', '/file/y'])
      kit.serve(path, tagged({ 'og:title': path }));
  });
  afterAll(() => kit.remove());
  beforeEach(async () => {
    const { client } = kit.service.context.parts.database;
    await client.blockRule.deleteMany();
    await kit.service.context.services.operators.blocking.added.refresh();
    await kit.signInAnew();
  });

  const call = async (text: string, input: object): Promise<Changed> =>
    Object.values(await kit.operator.data<Record<string, Changed>>(text, { input }))[0]!;
  const urlRule = (parts: Record<string, string>, list = URLS) => ({
    list,
    parts: Object.entries(parts).map(([component, pattern]) => ({
      component: component.toUpperCase(),
      pattern,
    })),
  });
  const versionOf = ({ rule }: Changed) => ({ id: rule!.id, revision: rule!.revision });
  const statusOf = async (path: string) => (await kit.preview(path)).status;

  it('tell before what they would have refused and allowed', async () => {
    await kit.preview('/open');
    await kit.preview('/file/x');
    await kit.service.context.services.previews.hits.flush();
    const trial = async (input: object) => {
      const { tryBlockRule } = await kit.operator.data<{ tryBlockRule: { trial: object } }>(TRY, { input });
      return tryBlockRule.trial;
    };
    const [open, file] = [kit.url('/open'), kit.url('/file/x')];
    const nothing = { count: 0, examples: [] };
    expect(await trial({ rule: urlRule({ hostname: '*.test' }) })).toEqual({
      looked: 2,
      unjudged: 0,
      isCut: false,
      opensInternal: false,
      newlyRefused: { count: 1, examples: [open] },
      newlyAllowed: nothing,
    });
    expect(await trial({ rule: urlRule({ path: '/file/x' }, 'URL_PREVIEW_URL_WHITELIST') })).toMatchObject({
      newlyRefused: nothing,
      newlyAllowed: { count: 1, examples: [file] },
    });
    expect(await trial({ rule: { list: RANGES, range: '127.0.0.0/9' } })).toMatchObject({
      // The whitelist of the file holds against it.
      newlyRefused: nothing,
    });
    const added = await call(ADD, { rule: urlRule({ path: '/open' }) });
    expect(await trial({ id: added.rule!.id })).toMatchObject({
      newlyAllowed: { count: 1, examples: [open] },
    });
  });

  it('hold at once and after a restart, stand in audit with before and after, and can be undone', async () => {
    expect(await statusOf('/open')).toBe(200);
    const added = await call(ADD, { rule: { ...urlRule({ path: '/open' }), note: 'test' } });
    expect(added.rule).toMatchObject({ standing: 'IN_EFFECT', note: 'test' });
    const number = Number(/^rule (\d+) /.exec(added.rule!.source)![1]);
    expect(await statusOf('/open')).toBe(403);
    await kit.restart();
    expect(await statusOf('/open')).toBe(403);
    await kit.signInAnew();
    const off = await call(CHANGE, {
      ...versionOf(added),
      rule: { ...urlRule({ path: '/open' }), enabled: false },
    });
    expect(off.rule).toMatchObject({ standing: 'DISABLED', revision: 2 });
    expect(await statusOf('/open')).toBe(200);
    const on = await call(UNDO, versionOf(off));
    expect(on.rule).toMatchObject({ standing: 'IN_EFFECT', undoUntil: null });
    expect(await statusOf('/open')).toBe(403);
    const gone = await call(REMOVE, versionOf(on));
    expect(gone.rule).toMatchObject({ standing: 'REMOVED' });
    expect(await statusOf('/open')).toBe(200);
    const back = await call(UNDO, versionOf(gone));
    expect(back.rule).toMatchObject({ standing: 'IN_EFFECT' });
    expect(await statusOf('/open')).toBe(403);
    const value = { path: '/open' };
    const first = { list: 'url_preview_url_blacklist', value, enabled: true, note: 'test' };
    const off1 = { ...first, enabled: false, note: '' };
    const events = await kit.service.context.parts.database.client.auditEvent.findMany({
      where: { targetType: 'BlockRule', action: { not: 'tryBlockRule' }, targetId: String(number) },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ action, summary, detail }) => [action, summary, detail])).toEqual([
      ['addBlockRule', 'Added a rule to url_preview_url_blacklist', { before: null, after: first }],
      [
        'changeBlockRule',
        `Disabled rule ${number} of url_preview_url_blacklist`,
        { before: first, after: off1 },
      ],
      [
        'undoBlockRule',
        `Undid the last change of rule ${number} of url_preview_url_blacklist`,
        { before: off1, after: first },
      ],
      [
        'removeBlockRule',
        `Removed rule ${number} of url_preview_url_blacklist`,
        { before: first, after: null },
      ],
      [
        'undoBlockRule',
        `Undid the last change of rule ${number} of url_preview_url_blacklist`,
        { before: first, after: first },
      ],
    ]);
  });

  it('are undone for ten minutes, and only as they were last seen', async () => {
    const added = await call(ADD, { rule: urlRule({ path: '/undone' }) });
    const changed = await call(CHANGE, { ...versionOf(added), rule: urlRule({ path: '/other' }) });
    expect((await call(UNDO, versionOf(added))).userErrors[0]!.message).toContain('changed or removed since');
    kit.service.clock.advance(10 * MINUTE_MS - 1);
    expect((await call(UNDO, versionOf(changed))).userErrors).toEqual([]);
    expect(await statusOf('/undone')).toBe(403);
    const again = await call(ADD, { rule: urlRule({ path: '/x' }) });
    kit.service.clock.advance(10 * MINUTE_MS);
    expect((await call(UNDO, versionOf(again))).userErrors[0]!.message).toContain('nothing to undo');
  });

  it('are refused when they are wrong, costly, there already, or of the file', async () => {
    const problem = async (rule: object) => (await call(ADD, { rule })).userErrors[0]?.message ?? 'none';
    expect(await problem(urlRule({}))).toContain('names no component');
    expect(await problem(urlRule({ path: '^(' }))).toContain('no usable pattern');
    expect(await problem(urlRule({ path: '^(.*a){500}' }))).toContain('too costly');
    expect(await problem(urlRule({ path: 'x'.repeat(501) }))).toContain('path');
    expect(await problem(urlRule(FILE_RULE))).toContain('configuration');
    expect(await problem({ list: RANGES, range: '8.8.8.8/99' })).toContain('not an address range');
    expect(await problem({ list: URLS, range: '8.8.8.8' })).not.toBe('none');
    expect(await problem({ ...urlRule({ path: '/a' }), note: 'a\nb' })).toContain('note');
    const list = await kit.viewer.data<{ blockRules: { id: string; revision: number | null }[] }>(
      `{ blockRules(kind: URL_PATTERN) { id revision origin } }`,
    );
    expect(list.blockRules).toMatchObject([{ revision: null }]);
    const refused = await call(REMOVE, { id: list.blockRules[0]!.id, revision: 1 });
    expect(refused.userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
  });

  it('do not open internal addresses unless the configuration lets them', async () => {
    const rule = { list: ALLOWED, range: '10.0.0.0/8' };
    const refused = (await call(ADD, { rule })).userErrors[0]!.message;
    expect(refused).toContain('admin.internal_ranges');
    expect((await call(ADD, { rule: { ...rule, range: '0.0.0.0/0' } })).userErrors).toHaveLength(1);
    expect((await call(ADD, { rule: { ...rule, range: '64:ff9b::/96' } })).userErrors).toHaveLength(1);
    expect((await call(ADD, { rule: { ...rule, range: '::ffff:10.0.0.0/104' } })).userErrors).toHaveLength(1);
    expect((await call(ADD, { rule: { ...rule, range: '93.184.216.0/24' } })).userErrors).toEqual([]);
    const check = `{ checkUrl(url: "http://10.1.2.3/") { blocked message allowing { range problem } } }`;
    type Check = { checkUrl: { blocked: boolean; message: string; allowing: object | null } };
    const checked = async () => (await kit.operator.data<Check>(check)).checkUrl;
    expect((await checked()).allowing).toMatchObject({
      range: '10.1.2.3',
      problem: expect.stringContaining('admin.internal_ranges'),
    });
    await kit.restart({ admin: { graphql: { ad_hoc: 'always' }, internal_ranges: true } });
    await kit.signInAnew();
    expect((await call(ADD, { rule })).rule).toMatchObject({ standing: 'IN_EFFECT' });
    expect(await checked()).toMatchObject({ blocked: false });
    await kit.restart({ admin: { graphql: { ad_hoc: 'always' }, internal_ranges: false } });
    await kit.signInAnew();
    expect(await checked()).toMatchObject({ blocked: true });
    const { blockRules } = await kit.viewer.data<{ blockRules: { setting: string; standing: string }[] }>(
      '{ blockRules(kind: IP_ALLOW) { setting standing } }',
    );
    expect(blockRules.map(({ standing }) => standing)).toContain('INTERNAL');
  });

  it('are offered for what was refused: as narrow as can be', async () => {
    expect(await statusOf('/file/x')).toBe(403);
    await kit.service.context.services.previews.hits.flush();
    const HIT = `{ blockHits(first: 1) { nodes { rule { source } allowing { list problem parts { component pattern } } } } }`;
    type Hits = { blockHits: { nodes: { rule: object; allowing: { list: string; parts: Part[] } }[] } };
    type Part = { component: string; pattern: string };
    const [hit] = (await kit.operator.data<Hits>(HIT)).blockHits.nodes;
    expect(hit!.rule).toEqual({ source: 'entry 0 of url_preview_url_blacklist (built in)' });
    const { list, parts } = hit!.allowing;
    const entered = Object.fromEntries(parts.map(({ component, pattern }) => [component, pattern]));
    expect(entered).toMatchObject({ hostname: 'site.test', path: '/file/x', query: '^$' });
    expect((await call(ADD, { rule: urlRule(entered, list) })).userErrors).toEqual([]);
    expect(await statusOf('/file/x')).toBe(200);
    expect([await statusOf('/file/y'), await statusOf('/file/x?a')]).toEqual([403, 403]);
    expect((await kit.viewer.data<Hits>(HIT)).blockHits.nodes[0]!.allowing).toBeNull();
  });

  it('explain a try: which rule refused what, and where that stands', async () => {
    await call(ADD, { rule: { list: RANGES, range: '192.0.43.0/24' } });
    await call(ADD, { rule: urlRule({ path: '/end' }) });
    kit.site.pages.set('/start', redirect(kit.url('/end')));
    const text = `mutation ($input: TryPreviewInput!) { tryPreview(input: $input) { trace { status
      refusals { url stage rule { source } allowing { list } } } } }`;
    const input = { url: kit.url('/start'), ignoreCaches: true, store: false };
    const { tryPreview } = await kit.operator.data<{ tryPreview: { trace: object } }>(text, { input });
    expect(tryPreview.trace).toEqual({
      status: 403,
      refusals: [
        {
          url: kit.url('/end'),
          stage: 'REDIRECT',
          rule: { source: expect.stringMatching(/^rule \d+ of url_preview_url_blacklist, added by .+/) },
          allowing: { list: 'URL_PREVIEW_URL_WHITELIST' },
        },
      ],
    });
  });

  it('are exported as lists that the configuration takes', async () => {
    await call(ADD, { rule: { ...urlRule({ path: '^/a"b', hostname: '*.x' }), note: 'why: "#"' } });
    await call(ADD, { rule: { list: RANGES, range: '192.0.43.0/24' } });
    await call(ADD, { rule: { ...urlRule({ path: '/off' }), enabled: false } });
    const { blockRulesYaml: text } = await kit.operator.data<{ blockRulesYaml: string }>(
      '{ blockRulesYaml }',
    );
    const lists = parse(text) as Record<string, unknown[]>;
    expect(lists['url_preview_url_blacklist']).toEqual([FILE_RULE, { path: '^/a"b', hostname: '*.x' }]);
    expect(lists['url_preview_ip_range_blacklist']).toContain('10.0.0.0/8');
    expect(lists['url_preview_ip_range_blacklist']!.at(-1)).toBe('192.0.43.0/24');
    expect(text).toContain('#  - path: "/off"');
    expect(parseConfig({ server_name: 'a.test', ...lists }).ok).toBe(true);
  });

  it('of another instance hold after the next reading', async () => {
    const { added } = kit.service.context.services.operators.blocking;
    const now = BigInt(kit.service.clock.now());
    await kit.service.context.parts.database.client.blockRule.create({
      data: {
        list: 'url_preview_url_blacklist',
        value: '{"path":"/there"}',
        enabled: true,
        note: '',
        revision: 1,
        createdTs: now,
        createdBy: 'ben',
        changedTs: now,
        changedBy: 'ben',
      },
    });
    expect(await statusOf('/there')).toBe(200);
    await added.refresh();
    expect(await statusOf('/there')).toBe(403);
  });
});
