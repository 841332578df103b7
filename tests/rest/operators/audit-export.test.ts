import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { TestService } from '../../support/service.js';
import { errorCode, signInAs, startAdminService } from './admin-kit.js';

describe('the export of the audit table', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startAdminService();
  });
  afterAll(() => service.remove());
  const load = (query: string, headers: Record<string, string>) =>
    fetch(`${service.url}/admin/api/audit/export${query}`, { headers });

  it('is for operators', async () => {
    const viewer = await load('', { cookie: await signInAs(service, 'viewer') });

    const nobody = await load('', {});
    expect([nobody.status, nobody.headers.get('error-reason')]).toEqual([401, 'unknown_token']);
    expect([viewer.status, await errorCode(viewer)]).toEqual([403, 'FORBIDDEN']);
  });

  it('is a download, and is in the table itself', async () => {
    const cookie = await signInAs(service, 'operator');
    const answer = await load('?format=csv', { cookie });

    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const text = await answer.text();
    const [newest] = text.split('\r\n').slice(1);
    expect(newest).toContain('"exportAudit"');
    // An id may begin with a sign that spreadsheets take for a formula.
    const id = answer.headers.get('x-request-id') ?? '';
    expect(newest).toContain(`"${id.startsWith('-') ? "'" : ''}${id}"`);
    expect(text).toContain('"signIn"');
  });

  it('heeds the filters of the list', async () => {
    const cookie = await signInAs(service, 'operator');
    service.clock.advance(10_000);
    const after = new Date(service.clock.now()).toISOString();
    await signInAs(service, 'viewer');

    const answer = await load(`?format=jsonl&action=signIn&after=${after}`, { cookie });

    const lines = (await answer.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { action: 'signIn', role: 'viewer' },
    ]);
    expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
  });

  it('leaves out what changed nothing when asked for changes only', async () => {
    const cookie = await signInAs(service, 'operator');
    const [all, changes] = await Promise.all(
      ['', '&changes_only=true'].map(async (query) => (await load(`?format=csv${query}`, { cookie })).text()),
    );

    expect(all).toContain('"signIn"');
    expect(changes).not.toMatch(/"signIn"|"exportAudit"/);
    expect((await load('?changes_only=yes', { cookie })).status).toBe(400);
  });

  it('hides user IDs that a filter named from all but admins', async () => {
    const auditedAction = {
      action: 'deleteMedia' as const,
      summary: 'Deleted 3 media',
      detail: { filter: { owner: '@eve:x.test' } },
    };
    const who = { actor: 'a', role: 'admin', method: 'code', address: null, requestId: 'r' } as const;
    const target = { targetType: null, targetId: null, outcome: 'ok' } as const;
    await service.context.access.auditLog.record({ ...who, ...target, ...auditedAction });
    const read = async (role: 'operator' | 'admin') =>
      (await load('?action=deleteMedia', { cookie: await signInAs(service, role) })).text();

    expect(await read('admin')).toContain('@eve:x.test');
    expect(await read('operator')).not.toContain('@eve');
    expect(await read('operator')).toContain('Deleted 3 media');
  });

  it('works for scripts with a token, without a browser', async () => {
    const wanted = { userId: null, label: 'script', expiresTs: null, scopes: ['admin_write'] as const };
    const { token } = await service.context.access.tokens.create(wanted);

    expect((await load('', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await load('', { authorization: `Bearer ${token}`, cookie: 'a=b' })).status).toBe(403);
    expect((await load('', { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it.each(['?format=xml', '?after=yesterday', `?search=${'x'.repeat(1001)}`])('refuses %s', async (query) => {
    const answer = await load(query, { cookie: await signInAs(service, 'operator') });

    expect([answer.status, await errorCode(answer)]).toEqual([400, 'BAD_REQUEST']);
  });
});
