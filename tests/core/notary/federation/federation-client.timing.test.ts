import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startDnsServer } from '../../../support/origins/dns-server.js';
import {
  respondCut,
  respondJson,
  respondNever,
  respondRedirect,
  respondSlowly,
  respondStatus,
  startKeyOrigin,
  type KeyOrigin,
  type Respond,
} from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome } from './federation-setup.js';

let ca: TestCa;
let server: KeyOrigin;

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  const certificate = await ca.leaf({ names: ['127.0.0.1', 'name.example'] });
  server = await startKeyOrigin({ certificate, respond: respondJson('{}') });
});
afterEach(() => server.close());

describe('FederationClient, answers of the key route', () => {
  it.each<[string, Respond, string]>([
    ['redirect to itself', respondRedirect('/_svc/key/v2/server'), 'http_redirect'],
    ['404', respondStatus(404), 'http_status'],
    ['gzip', respondJson('x', { 'Content-Encoding': 'gzip' }), 'http_encoding'],
    ['more than the limit', respondJson('y'.repeat(2001)), 'too_large'],
    ['half a body', respondCut, 'body_cut'],
  ])('fails, asked once: %s', async (_kind, respond, reason) => {
    server.respond = respond;
    const { client } = createTestClient({ caPem: ca.caPem, maxKeyRecordBytes: 2000 });
    const { error, steps } = await fetchOutcome(client, server.serverName);
    expect(error).toMatchObject({ status: 502, reason });
    expect(server.hits).toHaveLength(1);
    expect(steps.at(-1)).toMatchObject({ name: 'response', status: 'failed' });
  });

  it('accepts any content type and says so', async () => {
    server.respond = respondJson('{}', { 'Content-Type': 'text/html; charset=utf-8' });
    const { client } = createTestClient({ caPem: ca.caPem });
    const { result, steps } = await fetchOutcome(client, server.serverName);
    expect(result?.toString()).toBe('{}');
    expect(steps.at(-1)).toMatchObject({
      status: 'ok',
      sentence: expect.stringContaining('text/html'),
      detail: { status: 200, bytes: 2, contentType: 'text/html; charset=utf-8' },
    });
  });
});

describe('FederationClient, time', () => {
  it.each<[string, Respond, string]>([
    ['never answers', respondNever, 'timeout_headers'],
    ['drips its body', respondSlowly, 'timeout_body'],
  ])('ends the whole fetch at its limit when the server %s', async (_kind, respond, reason) => {
    server.respond = respond;
    const { client } = createTestClient({ caPem: ca.caPem, keyFetchTimeoutMs: 300 });
    const startMs = performance.now();
    expect((await fetchOutcome(client, server.serverName)).error?.reason).toBe(reason);
    expect(performance.now() - startMs).toBeLessThan(1500);
  });

  it('leaves time for the keys when the well-known host never answers', async () => {
    const silent = await startKeyOrigin({
      certificate: await ca.leaf({ names: ['name.example'] }),
      respond: respondNever,
    });
    const dns = await startDnsServer({ 'name.example': { A: ['127.0.0.1'] } });
    const { client } = createTestClient({
      caPem: ca.caPem,
      dns: dns.address,
      wellKnownPort: silent.port,
      defaultPort: server.port,
      keyFetchTimeoutMs: 1000,
    });
    const { error, steps } = await fetchOutcome(client, 'name.example');
    expect(error).toBeNull();
    expect(steps[1]).toMatchObject({ name: 'well-known', status: 'warning' });
    await dns.close();
    await silent.close();
  });

  it('cancels what is under way on close', async () => {
    const { client } = createTestClient({ caPem: ca.caPem });
    server.respond = () => client.close();
    expect((await fetchOutcome(client, server.serverName)).error?.reason).toBe('aborted');
  });
});
