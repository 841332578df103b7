import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { AdminClient } from '../../support/clients/admin-client.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { startPreviewAdminKit, type PreviewAdminKit } from '../previews/preview-admin-kit.js';
import { watch } from './stages.js';

const TRY = `mutation Try($ignoreCaches: Boolean! = false, $url: String!) { tryPreview(ignoreCaches: $ignoreCaches, url: $url) {
  userErrors { code } trace { url status steps { name status message advice } } } }`;

interface Tried {
  tryPreview: {
    trace: { url: string; status: number; steps: { name: string; status: string; message: string }[] };
  };
}

describe('runs that operators watch', () => {
  let kit: PreviewAdminKit;

  beforeAll(async () => {
    kit = await startPreviewAdminKit();
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
    (await kit.operator.data<Tried>(TRY, { url })).tryPreview;

  describe('stages as events', () => {
    it('a stage that waits is told before it ends, all others as they end, then the answer', async () => {
      const { url, asked } = hold('/held');
      const operation = await watch(kit.operator, TRY, { url });
      await operation.begun('download');
      const response = await asked;
      response.setHeader('content-type', 'text/html').end(tagged({ 'og:title': 'Late' }));
      const { stages, answer } = await operation.finished();

      expect([operation.status, operation.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
      const ended = stages.flatMap(({ ended: stage }) => (stage === undefined ? [] : [stage.name]));
      expect(ended.slice(0, 5)).toEqual(['rules', 'memory', 'stored', 'dns', 'connect']);
      expect(ended.indexOf('download')).toBeGreaterThan(ended.indexOf('connect'));
      expect(stages.find(({ began }) => began?.name === 'dns')?.began?.title).toBe('Name resolution');
      expect(answer).toMatchObject({ data: { tryPreview: { trace: { status: 200 } } } });
    });

    it('a reader who goes ends the download; audit says cancelled, and ok of a try that ended', async () => {
      const client = kit.service.context.parts.database.client.auditEvent;
      const { url, asked } = hold('/cancelled');
      const operation = await watch(kit.operator, TRY, { url, ignoreCaches: true });
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
      expect(auditEvents.nodes[0]).toEqual({ action: 'TRY_PREVIEW', outcome: 'CANCELLED' });
    });
  });

  describe('what a try says', () => {
    it('the range that refused an address is named', async () => {
      const { trace } = await tried('http://inside.test/');
      const failed = trace.steps.find(({ status }) => status === 'FAILED');
      expect(failed?.message).toContain(
        'in the blocked range 10.0.0.0/8: entry 2 of url_preview_ip_range_blacklist (built in)',
      );
    });
  });
});

it('by default sessions of operators may send text, those of viewers may not', async () => {
  const kit = await startPreviewAdminKit({ admin: {} });
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
