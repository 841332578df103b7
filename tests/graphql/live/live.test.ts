import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { KeptTraces } from '../../../src/core/operators/traces/kept-traces.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { testEngines } from '../../support/store/databases.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { startPreviewAdminKit, type PreviewAdminKit } from '../previews/preview-admin-kit.js';
import { watch } from './stages.js';

const TRY = `mutation Try($input: TryPreviewInput!) { tryPreview(input: $input) {
  traceId userErrors { code } trace { url status steps { name status message advice } } } }`;
const DIAGNOSE = `mutation Diagnose($input: DiagnoseServerInput!) { diagnoseServer(input: $input) {
  traceId report { ok steps { name message } } } }`;
const SHARE = `mutation Share($id: ID!) { shareTrace(input: { id: $id }) {
  userErrors { code } trace { traceId sharedAt expiresAt } } }`;
const SHARED = `query Shared($id: ID!) { sharedTrace(id: $id) {
  traceId actor expiresAt preview { url status steps { name message detail } } server { serverName } } }`;
const REQUEST = `query Request($id: ID!) { request(id: $id) { whole
  events { kind subject outcome detail mediaId } audit { action } refusals { url } } }`;

const ADD_RULE = `mutation Add($input: AddBlockRuleInput!) { addBlockRule(input: $input) {
  userErrors { code message } } }`;
const LAST = `query Last($host: String!) {
  hostTraces(host: $host) { traceId preview { url } server { serverName } }
  hostRequests(host: $host) { keptEvents silent events { requestId subject outcome } } }`;

interface Tried {
  tryPreview: {
    traceId: string;
    trace: { url: string; status: number; steps: { name: string; status: string; message: string }[] };
  };
}

interface Last {
  hostTraces: { traceId: string; server: unknown }[];
  hostRequests: { events: unknown[] } | null;
}

describe.each(testEngines())('runs that operators watch, on %s', (engine) => {
  let kit: PreviewAdminKit;

  beforeAll(async () => {
    kit = await startPreviewAdminKit(engine);
    kit.serve('/a', tagged({ 'og:title': 'A', 'og:description': 'Of it' }));
    kit.serve('/blank', '<html><body></body></html>');
  });
  afterAll(() => kit.remove());
  // A session may try ten a minute.
  beforeEach(() => kit.signInAnew());

  const hold = (path: string) => {
    let held: (response: ServerResponse) => void;
    const asked = new Promise<ServerResponse>((resolve) => {
      held = resolve;
    });
    return { url: kit.serve(path, (_request, response) => held(response)), asked };
  };
  const tried = async (url: string): Promise<Tried['tryPreview']> =>
    (await kit.operator.data<Tried>(TRY, { input: { url } })).tryPreview;

  describe('stages as events', () => {
    it('a stage that waits is told before it ends, all others as they end, then the answer', async () => {
      const { url, asked } = hold('/held');
      const operation = await watch(kit.operator, TRY, { input: { url } });
      await operation.begun('download');
      const response = await asked;
      response.setHeader('content-type', 'text/html').end(tagged({ 'og:title': 'Late' }));
      const { stages, answer } = await operation.finished();

      expect([operation.status, operation.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
      const ended = stages.flatMap(({ ended: stage }) => (stage === undefined ? [] : [stage.name]));
      expect(ended.slice(0, 6)).toEqual(['rules', 'memory', 'stored', 'oembed_lookup', 'dns', 'address']);
      expect(ended.indexOf('download')).toBeGreaterThan(ended.indexOf('connect'));
      expect(stages.find(({ began }) => began?.name === 'dns')?.began?.title).toBe('Name resolution');
      expect(answer).toMatchObject({ data: { tryPreview: { trace: { status: 200 } } } });
    });

    it('a reader who goes ends the download, and the place is free for the next', async () => {
      const { url, asked } = hold('/left');
      const first = await watch(kit.operator, TRY, { input: { url } });
      const response = await asked;
      const second = hold('/left-too');
      const other = await watch(kit.operator, TRY, { input: { url: second.url } });
      await second.asked;
      const third = await kit.operator.send(TRY, { input: { url: kit.url('/a') } });
      expect([third.status, third.errors[0]?.extensions.code]).toEqual([429, 'RATE_LIMITED']);

      first.leave();
      await once(response, 'close');
      await expect
        .poll(async () => (await kit.operator.send(TRY, { input: { url: kit.url('/a') } })).status)
        .toBe(200);
      other.leave();
    });

    it('a try whose reader went stands in audit as cancelled, one that ended does not', async () => {
      const client = kit.service.context.parts.database.client.auditEvent;
      const { url, asked } = hold('/cancelled');
      const operation = await watch(kit.operator, TRY, { input: { url, ignoreCaches: true } });
      const response = await asked;
      operation.leave();
      await once(response, 'close');
      const entry = () =>
        client.findFirst({
          where: { action: 'tryPreview', outcome: { not: 'ok' } },
          orderBy: { id: 'desc' },
        });
      await expect.poll(entry).toMatchObject({ outcome: 'cancelled', actor: 'operator' });
      await tried(kit.url('/a'));
      expect(await client.findFirst({ orderBy: { id: 'desc' } })).toMatchObject({ outcome: 'ok' });
      const AUDIT = `{ auditEvents(first: 5, filter: { outcome: CANCELLED }) { nodes { action outcome } } }`;
      type Audit = { auditEvents: { nodes: { action: string; outcome: string }[] } };
      const { auditEvents } = await kit.operator.data<Audit>(AUDIT);
      expect(auditEvents.nodes[0]).toEqual({ action: 'tryPreview', outcome: 'CANCELLED' });
    });

    it('a diagnosis tells its stages, too', async () => {
      const operation = await watch(kit.operator, DIAGNOSE, { input: { serverName: 'nobody.invalid' } });
      const { stages, answer } = await operation.finished();
      expect(stages.map(({ began }) => began?.title)).toContain('Delegation document');
      expect(stages.find(({ ended }) => ended?.name === 'name')?.ended?.status).toBe('OK');
      expect(answer).toMatchObject({ data: { diagnoseServer: { report: { ok: false } } } });
    });

    it('what fails before any stage keeps its status and form', async () => {
      const operation = await watch(kit.viewer, TRY, { input: { url: kit.url('/a') } });
      expect([operation.status, operation.contentType]).toEqual([403, 'application/json; charset=utf-8']);
    });
  });

  describe('what a try says', () => {
    it('https:// is put before an address without a scheme, and told', async () => {
      const { trace } = await tried('site.test:1/x');
      expect(trace.url).toBe('https://site.test:1/x');
      expect(trace.steps[0]).toMatchObject({
        name: 'scheme',
        status: 'WARNING',
        message: 'https:// assumed: https://site.test:1/x',
      });
    });

    it('the range that refused an address is named', async () => {
      const { trace } = await tried('http://inside.test/');
      const failed = trace.steps.find(({ status }) => status === 'FAILED');
      expect(failed?.message).toContain(
        'in the blocked range 10.0.0.0/8: entry 1 of url_preview_ip_range_blacklist (built in)',
      );
    });

    it('and so does a diagnosis, down to the rule that an operator has added', async () => {
      const words = async (serverName: string) =>
        JSON.stringify(await kit.operator.data(DIAGNOSE, { input: { serverName } }));
      expect(await words('10.1.2.3')).toContain('10.0.0.0/8: entry 1 of ip_range_blacklist (built in)');

      const input = { rule: { list: 'IP_RANGE_BLACKLIST', range: '8.8.8.8' } };
      const { addBlockRule } = await kit.admin.data<{ addBlockRule: { userErrors: unknown[] } }>(ADD_RULE, {
        input,
      });
      expect(addBlockRule.userErrors).toEqual([]);
      expect(await words('8.8.8.8')).toMatch(/8\.8\.8\.8: rule \d+ of ip_range_blacklist, added by /);
    });
  });

  describe('shared traces', () => {
    it('are for viewers once they are shared, without query strings, and for 30 days', async () => {
      const { traceId } = await tried(`${kit.url('/a')}?secret=1`);
      // No command may take it for an option.
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      const before = await kit.viewer.data(SHARED, { id: traceId });
      expect(before).toEqual({ sharedTrace: null });

      const { shareTrace } = await kit.operator.data<{ shareTrace: { trace: { expiresAt: string } } }>(
        SHARE,
        {
          id: traceId,
        },
      );
      const seen = JSON.stringify(await kit.viewer.data(SHARED, { id: traceId }));
      const whole = JSON.stringify(await kit.operator.data(SHARED, { id: traceId }));

      const expiresTs = Date.parse(shareTrace.trace.expiresAt);
      expect(Math.abs(expiresTs - kit.service.clock.now() - 30 * DAY_MS)).toBeLessThan(1000);
      expect(seen).toContain(`${kit.url('/a')}?…`);
      expect(seen).not.toContain('secret');
      expect(whole).toContain('secret=1');
    });

    it('of a host are listed, for viewers those that are shared, with what was asked for by clients', async () => {
      await kit.service.context.services.operators.database.client.keptTrace.deleteMany();
      const { traceId } = await tried(kit.url('/a'));
      await tried('http://elsewhere.test/');
      await kit.operator.data(DIAGNOSE, { input: { serverName: 'chat.site.test' } });
      const made = await kit.preview('/blank');
      const last = (client: AdminClient) => client.data<Last>(LAST, { host: '.site.test' });

      const { hostTraces, hostRequests } = await last(kit.operator);
      expect(hostTraces).toHaveLength(2);
      expect(hostTraces).toContainEqual(
        expect.objectContaining({ preview: null, server: { serverName: 'chat.site.test' } }),
      );
      expect(hostTraces).toContainEqual({ traceId, preview: { url: kit.url('/a') }, server: null });
      expect(hostRequests).toMatchObject({ keptEvents: 10_000, silent: [] });
      expect(hostRequests?.events[0]).toEqual({
        requestId: made.headers.get('x-request-id'),
        subject: kit.url('/blank'),
        outcome: 'made',
      });

      await kit.operator.data(SHARE, { id: traceId });
      const seen = await last(kit.viewer);
      expect(seen.hostTraces.map((trace) => trace.traceId)).toContain(traceId);
      expect(seen.hostTraces.every(({ server }) => server === null)).toBe(true);
      expect(seen.hostRequests).toBeNull();
    });

    it('a viewer cannot share; what is gone is NOT_FOUND', async () => {
      const { traceId } = await tried(kit.url('/a'));
      expect((await kit.viewer.send(SHARE, { id: traceId })).errors[0]?.extensions.code).toBe('FORBIDDEN');
      const gone = await kit.operator.data(SHARE, { id: 'A'.repeat(22) });
      expect(gone).toMatchObject({ shareTrace: { userErrors: [{ code: 'NOT_FOUND' }], trace: null } });
    });

    it('the oldest unshared one makes room, a shared one never does, and old ones go', async () => {
      const { database } = kit.service.context.services.operators;
      await database.client.keptTrace.deleteMany();
      let nowTs = kit.service.clock.now();
      const clock = { now: () => nowTs };
      const traces = new KeptTraces({ database, clock, maxTraces: 2 });
      const diagnosis = {
        serverName: 'a.test',
        ok: true,
        reason: null,
        steps: [],
        resolvedTo: [],
        published: { b: 12345678901234567890n },
        checkedTs: nowTs,
      };
      const keep = () => traces.keep({ kind: 'server', diagnosis }, 'ana');
      const [first, second] = [(await keep())!, ((nowTs += 1), (await keep())!)];
      await traces.share(first);
      nowTs += 1;
      const third = (await keep())!;

      expect(await traces.find(second)).toBeNull();
      expect(await traces.find(first)).toMatchObject({ actor: 'ana' });
      await traces.share(third);
      expect(await keep()).toBeNull();

      nowTs += 31 * DAY_MS;
      expect(await traces.prune(nowTs, 10)).toBe(2);
    });
  });

  describe('one request', () => {
    it('tells of the preview it had made, and of what it was refused', async () => {
      const made = await kit.preview('/a');
      const refused = await kit.preview('http://inside.test/');
      await kit.service.context.services.previews.hits.flush();

      const ofMade = await kit.operator.data(REQUEST, { id: made.headers.get('x-request-id') });
      const ofRefused = await kit.operator.data(REQUEST, { id: refused.headers.get('x-request-id') });

      expect(ofMade).toMatchObject({
        request: {
          events: [{ kind: 'PREVIEW', subject: kit.url('/a'), outcome: 'made', mediaId: expect.any(String) }],
        },
      });
      expect(ofRefused).toMatchObject({
        request: {
          whole: true,
          events: [
            { kind: 'PREVIEW', outcome: 'failed' },
            { kind: 'FAILURE', outcome: '502' },
          ],
          refusals: [{ url: 'http://inside.test/' }],
        },
      });
    });

    it('tells of the keys it had fetched, and of what an operator did; viewers are refused', async () => {
      const { url } = kit.service;
      const criteria = { 'ed25519:a': {} };
      const query = await fetch(`${url}/_svc/key/v2/query`, {
        method: 'POST',
        body: JSON.stringify({ server_keys: { 'nobody.invalid': criteria } }),
      });
      const asked = await kit.operator.data(REQUEST, { id: query.headers.get('x-request-id') });
      expect(asked).toMatchObject({
        request: { events: [{ kind: 'KEY_FETCH', subject: 'nobody.invalid', outcome: 'failed' }] },
      });

      const share = await kit.operator.send(SHARE, { id: 'none' });
      const audited = await kit.operator.data(REQUEST, { id: share.headers.get('x-request-id') });
      expect(audited).toMatchObject({ request: { audit: [{ action: 'shareTrace' }] } });

      const { errors } = await kit.viewer.send(REQUEST, { id: 'x' });
      expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
    });
  });
});

it('by default sessions of operators may send text, those of viewers may not', async () => {
  const kit = await startPreviewAdminKit('sqlite', { admin: {} });
  try {
    const asked = '{ servers(first: 1) { nodes { name } } }';
    const [operator, viewer] = [await kit.operator.send(asked), await kit.viewer.send(asked)];
    expect(operator.errors).toEqual([]);
    expect(viewer.errors[0]?.extensions.code).toBe('OPERATION_NOT_TRUSTED');
    const token = await AdminClient.withToken(kit.service, 'admin_read');
    expect((await token.send(asked)).errors).toEqual([]);
  } finally {
    await kit.remove();
  }
});
