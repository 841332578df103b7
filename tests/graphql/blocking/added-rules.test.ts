import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { tagged } from '../../rest/clients/preview/preview-kit.js';

import { startPreviewAdminKit } from '../previews/preview-admin-kit.js';
import { setUp } from '../../support/set-up.js';

const RULE = 'rule { id parts { component pattern } createdBy source } userErrors { code message }';
const ADD = `mutation ($pattern: String!) { addBlockRule(pattern: $pattern) { ${RULE} } }`;
const REMOVE = `mutation ($id: ID!) { removeBlockRule(id: $id) { ${RULE} } }`;
const TRY = `mutation ($pattern: String!) { tryBlockRule(pattern: $pattern) { userErrors { message }
  trial { tried refused examples } } }`;

interface Changed {
  rule: { id: string; source: string } | null;
  userErrors: { code: string; message: string }[];
}

const FILE_RULE = { hostname: 'site.test', path: '/file/*' };

describe('patterns that operators block', () => {
  const kit = setUp(() => startPreviewAdminKit({ url_preview_url_blacklist: [FILE_RULE] }));
  beforeAll(async () => {
    for (const path of ['/open', '/there', '/file/x']) kit.serve(path, tagged({ 'og:title': path }));
  });
  beforeEach(async () => {
    const { client } = kit.service.context.parts.database;
    await client.blockRule.deleteMany();
    await kit.service.context.services.operators.blocking.added.refresh();
    await kit.signInAnew();
  });

  const call = async (text: string, input: Record<string, unknown>): Promise<Changed> =>
    Object.values(await kit.operator.data<Record<string, Changed>>(text, input))[0]!;
  const statusOf = async (path: string) => (await kit.preview(path)).status;

  it('say before what they would refuse of the latest previews', async () => {
    await kit.preview('/open');
    const trial = async (pattern: string) => {
      const { tryBlockRule } = await kit.operator.data<{ tryBlockRule: { trial: object } }>(TRY, {
        pattern,
      });
      return tryBlockRule.trial;
    };
    expect(await trial('.test')).toEqual({ tried: 1, refused: 1, examples: [kit.url('/open')] });
    expect(await trial('elsewhere.test')).toEqual({ tried: 1, refused: 0, examples: [] });
    expect(await trial('site.test/file/*')).toMatchObject({ refused: 0 });
  });

  it('hold at once, count their hits, stand in audit with before and after, and go', async () => {
    expect(await statusOf('/open')).toBe(200);
    const added = await call(ADD, { pattern: 'https://SITE.test/open' });
    expect(added).toMatchObject({
      rule: { parts: [{ component: 'hostname', pattern: 'site.test' }], createdBy: expect.any(String) },
      userErrors: [],
    });
    expect(await statusOf('/open?1')).toBe(403);
    await kit.service.context.services.previews.hits.flush();
    const { blockRules } = await kit.operator.data<{ blockRules: { id: string; hits: number }[] }>(
      '{ blockRules(kind: URL_PATTERN) { id hits } }',
    );
    expect(blockRules.find(({ id }) => id === added.rule?.id)?.hits).toBe(1);

    const removed = await call(REMOVE, { id: added.rule?.id });
    expect(removed).toMatchObject({ rule: { id: added.rule?.id }, userErrors: [] });
    expect(await statusOf('/open?2')).toBe(200);
    const again = await call(REMOVE, { id: added.rule?.id });
    expect(again).toMatchObject({ rule: null, userErrors: [{ code: 'NOT_FOUND' }] });

    const { client } = kit.service.context.parts.database;
    const rows = await client.auditEvent.findMany({ where: { targetType: 'BlockRule', outcome: 'ok' } });
    expect(rows.map(({ summary }) => summary)).toEqual(
      expect.arrayContaining(['Block site.test', 'Remove the rule site.test']),
    );
  });

  it.each([
    ['nothing', ' '],
    ['a pattern for every address', '*'],
    ['a name with a blank', 'a b'],
    ['what is too long', `${'a'.repeat(600)}.test`],
  ])('refuse %s', async (_name, pattern) => {
    expect((await call(ADD, { pattern })).userErrors).toMatchObject([{ code: 'INVALID' }]);
  });

  it('refuse one that is there already, and a viewer', async () => {
    await call(ADD, { pattern: '.twice.test' });
    expect(await call(ADD, { pattern: '.TWICE.test' })).toMatchObject({
      rule: null,
      userErrors: [{ code: 'INVALID', message: expect.stringContaining('already') }],
    });
    const { errors } = await kit.viewer.send(ADD, { pattern: 'a.test' });
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('of the configuration are not removed here', async () => {
    const { blockRules } = await kit.operator.data<{ blockRules: { id: string }[] }>(
      '{ blockRules(kind: URL_PATTERN) { id } }',
    );
    expect(await call(REMOVE, { id: blockRules[0]!.id })).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND', message: expect.stringContaining('configuration') }],
    });
  });

  it('of another instance hold after the next reading', async () => {
    const { added } = kit.service.context.services.operators.blocking;
    await kit.service.context.parts.database.client.blockRule.create({
      data: { pattern: 'site.test/there', createdTs: BigInt(kit.service.clock.now()), createdBy: 'ben' },
    });
    expect(await statusOf('/there')).toBe(200);
    await added.refresh();
    expect(await statusOf('/there')).toBe(403);
  });
});
