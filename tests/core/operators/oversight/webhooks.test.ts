import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { createSender } from '../../../../src/composition/oversight/sending.js';
import type { ContextParts } from '../../../../src/composition/parts.js';
import { HOUR_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { enqueue } from '../../../../src/core/operators/oversight/outbox/outbox-store.js';
import { postKey } from '../../../support/clients/notary-client.js';
import { makeTestKey } from '../../../support/origins/key-record-maker.js';
import { createTestAuthority, startRemoteServer } from '../../../support/origins/remote-server.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/origins/webhook-receiver.js';
import { startTestService, type TestService, type TestServiceOptions } from '../../../support/service.js';
import { testEngines } from '../../../support/store/databases.js';

const SECRET = 'a secret of at least 16 characters';
const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

async function receiver(port?: number): Promise<WebhookReceiver> {
  const started = await startWebhookReceiver(port);
  clean.push(() => started.close());
  return started;
}

const hookOf = ({ url }: { url: string }, more: object = {}) => ({
  name: 'ops',
  url,
  secret: SECRET,
  tells: [],
  allow_private: true,
  ...more,
});

async function started(settings: object, options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ ...options, settings: { ...settings } });
  clean.push(() => service.remove());
  return service;
}

/** A service that watches all servers, and a way to have one appear or replace its key. */
async function watching(engine: ReturnType<typeof testEngines>[number], hook: object) {
  const authority = await createTestAuthority();
  clean.push(() => authority.remove());
  const settings = {
    watch: [{ server_name: '*', webhook: 'ops' }],
    alerts: { webhooks: [hook], first_retry: '10s', longest_retry: '1h' },
  };
  const service = await started(settings, { engine, caPaths: [authority.caPath] });
  const remote = async () => {
    const server = await startRemoteServer(authority, { validUntilTs: service.clock.now() + HOUR_MS });
    clean.push(() => server.origin.close());
    return server;
  };
  return { service, remote };
}

const send = ({ context }: TestService) => context.services.oversight.send();
const kinds = ({ received }: WebhookReceiver) => received.map(({ json }) => json.kind);
const refuse =
  (status: number): WebhookReceiver['answer'] =>
  (_request, response) =>
    void response.writeHead(status).end();

describe.each(testEngines())('webhooks, on %s', (engine) => {
  it('tell of key events in order, signed, each with its delivery number', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    const server = await remote();
    await postKey(service.url, server.serverName);
    await send(service);

    expect(kinds(ops)).toEqual(['server_first_seen', 'key_added']);
    const [first] = ops.received;
    expect(first!.json).toMatchObject({
      type: 'key_event',
      notary: 'notary.test',
      server_name: server.serverName,
      severity: 'info',
      alarm: false,
    });
    expect(first!.headers['content-type']).toBe('application/json');
    expect(first!.headers['vidimus-delivery']).toMatch(/^\d+$/);
    expect(first!.headers['vidimus-signature']).toMatch(
      new RegExp(`^t=${service.clock.now() / 1000},v1=[0-9a-f]{64}$`),
    );
  });

  it('are tried again with growing pauses until the receiver takes them, and nothing overtakes', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    ops.answer = refuse(503);
    const server = await remote();
    await postKey(service.url, server.serverName);
    await send(service);
    expect(kinds(ops)).toEqual(['server_first_seen']);
    await send(service);
    expect(ops.received).toHaveLength(1);
    for (const pauseMs of [10 * SECOND_MS, 20 * SECOND_MS, 40 * SECOND_MS]) {
      const before = ops.received.length;
      service.clock.advance(pauseMs - 1);
      await send(service);
      expect(ops.received).toHaveLength(before);
      service.clock.advance(1);
      await send(service);
      expect(ops.received).toHaveLength(before + 1);
    }
    ops.answer = refuse(200);
    service.clock.advance(80 * SECOND_MS);
    await send(service);
    expect(kinds(ops).slice(-2)).toEqual(['server_first_seen', 'key_added']);
    const numbers = ops.received.map(({ headers }) => headers['vidimus-delivery']);
    expect(new Set(numbers.slice(0, -1)).size).toBe(1);
  });

  it('that a receiver refuses together are one failure of it: all are tried again after the first pause', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    ops.answer = refuse(503);
    const servers = await Promise.all(Array.from({ length: 4 }, remote));
    for (const { serverName } of servers) await postKey(service.url, serverName);
    await send(service);

    ops.answer = refuse(200);
    service.clock.advance(10 * SECOND_MS);
    await send(service);
    expect(kinds(ops).filter((kind) => kind === 'key_added')).toHaveLength(4);
  });

  it('wait in rows over a restart for a receiver that is away', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    await ops.close();
    const server = await remote();
    await postKey(service.url, server.serverName);
    await send(service);
    expect(ops.received).toEqual([]);

    const again = await service.restart();
    clean.push(() => again.stop());
    const back = await receiver(ops.port);
    again.clock.advance(HOUR_MS);
    await send(again);
    expect(kinds(back)).toEqual(['server_first_seen', 'key_added']);
  });

  it('of one server wait for each other, and not for another server whose event is refused', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    const [sick, well] = [await remote(), await remote()];
    ops.answer = ({ json }, response) =>
      void response.writeHead(json.server_name === sick.serverName ? 400 : 204).end();
    await postKey(service.url, sick.serverName);
    await postKey(service.url, well.serverName);
    await send(service);
    const of = ({ serverName }: { serverName: string }) =>
      ops.received.filter(({ json }) => json.server_name === serverName).map(({ json }) => json.kind);
    expect(of(sick)).toEqual(['server_first_seen']);
    expect(of(well)).toEqual(['server_first_seen', 'key_added']);
  });

  it('are given up in the end; the health list, the metrics and the log say so', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    ops.answer = refuse(500);
    await postKey(service.url, (await remote()).serverName);
    await send(service);
    const line = async () => {
      const { checks } = await service.context.services.overview.overview.health();
      return checks.find(({ key }) => key === 'deliveries');
    };
    expect(await line()).toMatchObject({ state: 'warning' });
    service.clock.advance(73 * HOUR_MS);
    await send(service);
    expect(await line()).toMatchObject({ state: 'failed', message: expect.stringContaining('Answered 500') });
    expect(service.logs.filter(({ msg }) => msg === 'delivery given up')).toHaveLength(2);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_deliveries_total{channel="webhook",outcome="failed"} 2');
    expect(metrics).toContain('vidimus_deliveries_waiting 0');
  });

  it('are no more rows than are allowed: of what waits the oldest are given up, of the finished the oldest go', async () => {
    const ops = await receiver();
    const { service } = await watching(engine, hookOf(ops));
    const small = await service.restart({
      alerts: { webhooks: [hookOf(ops)], max_waiting: 10, retention: '1d' },
    });
    clean.push(() => small.stop());
    const { database } = small.context.parts;
    const drafts = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        channel: 'webhook' as const,
        destination: 'ops',
        subject: `${index}.example`,
        kind: 'key_added',
        payload: '{}',
        createdTs: small.clock.now(),
      }));
    await database.plain.transaction((runner) => enqueue(runner, drafts(25)));
    await send(small);
    expect(ops.received).toHaveLength(10);
    expect(await database.client.outbox.count({ where: { state: 'failed' } })).toBe(15);
    const prune = async () => {
      const { finished } = await small.context.services.jobs.registry.runNow('prune_outbox', 'ana');
      expect((await finished).outcome).toBe('ok');
    };
    small.clock.advance(1);
    await database.plain.transaction((runner) => enqueue(runner, drafts(10)));
    await send(small);
    await prune();
    expect(await database.client.outbox.count()).toBe(10);
    small.clock.advance(25 * HOUR_MS);
    await prune();
    expect(await database.client.outbox.count()).toBe(0);
  });

  it('arrive beside what a newer version has put in, which is left to that', async () => {
    const ops = await receiver();
    const { service } = await watching(engine, hookOf(ops));
    const { database } = service.context.parts;
    const draft = {
      channel: 'webhook' as const,
      destination: 'ops',
      subject: 'a',
      kind: 'key_added',
      payload: '{}',
    };
    await database.plain.transaction((runner) =>
      enqueue(
        runner,
        [draft, draft].map((each) => ({ ...each, createdTs: service.clock.now() })),
      ),
    );
    const first = await database.client.outbox.findFirstOrThrow({ orderBy: { id: 'asc' } });
    await database.client.outbox.update({ where: { id: first.id }, data: { channel: 'pager' } });

    await send(service);
    const rows = await database.client.outbox.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['waiting', 0],
      ['done', 1],
    ]);
  });

  it('tell of alarms whatever is watched', async () => {
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    const quiet = await service.restart({
      watch: [],
      alerts: { webhooks: [hookOf(ops, { tells: ['alarms'] })] },
    });
    clean.push(() => quiet.stop());
    const server = await remote();
    await postKey(quiet.url, server.serverName);
    server.publish({ keys: [makeTestKey('k1')] });
    await quiet.context.services.keys.refresher.refreshNow(server.serverName);
    await send(quiet);
    expect(ops.received.map(({ json }) => [json.kind, json['alarm']])).toEqual([['key_replaced', true]]);
  });

  it('are sent once when several instances share the store', async () => {
    if (engine === 'sqlite') return;
    const ops = await receiver();
    const { service, remote } = await watching(engine, hookOf(ops));
    const { oversight } = service.context.services;
    for (let count = 0; count < 10; count += 1) await postKey(service.url, (await remote()).serverName);
    // The sender of another instance has its own memory, and the same rows.
    const { config, parts } = service.context;
    const other = createSender(config, parts as unknown as ContextParts, oversight);
    await Promise.all([oversight.send(), other.run(), oversight.send(), other.run()]);
    await oversight.send();
    const numbers = ops.received.map(({ headers }) => headers['vidimus-delivery']);
    expect(numbers).toHaveLength(20);
    expect(new Set(numbers).size).toBe(20);
  });
});

describe('a webhook', () => {
  it('is tested at once, whatever waits for it, and a test that fails is not repeated', async () => {
    const ops = await receiver();
    const { service, remote } = await watching('sqlite', hookOf(ops));
    ops.answer = refuse(500);
    await postKey(service.url, (await remote()).serverName);
    await send(service);
    const { oversight } = service.context.services;
    expect(await oversight.admin.test('ops')).toMatchObject({ state: 'failed', message: 'Answered 500.' });
    ops.answer = refuse(204);
    expect(await oversight.admin.test('ops')).toMatchObject({
      state: 'done',
      message: 'Answered 204.',
      attempts: 1,
    });
    expect(await oversight.admin.test('other')).toBeNull();
    expect(kinds(ops)).toEqual(['server_first_seen', undefined, undefined]);
  });

  it('inside our network is refused unless the configuration says that it is there', async () => {
    const ops = await receiver();
    const { service, remote } = await watching('sqlite', hookOf(ops, { allow_private: false }));
    const strict = await service.restart({ ip_range_whitelist: [] });
    clean.push(() => strict.stop());
    await strict.context.services.oversight.admin.test('ops');
    expect(ops.received).toEqual([]);
    await remote();
  });

  it('is not followed to where it redirects', async () => {
    const [ops, elsewhere] = [await receiver(), await receiver()];
    const { service } = await watching('sqlite', hookOf(ops));
    ops.answer = (_request, response) => void response.writeHead(307, { location: elsewhere.url }).end();
    await service.context.services.oversight.admin.test('ops');
    expect(ops.received).toHaveLength(1);
    expect(elsewhere.received).toEqual([]);
  });

  it('that answers without end is not read to the end', async () => {
    const ops = await receiver();
    const { service } = await watching('sqlite', hookOf(ops));
    ops.answer = (_request, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      more();
    };
    const result = await service.context.services.oversight.admin.test('ops');
    expect(result?.message).toContain('too_large');
  });
});

describe('the documented check of a signature', () => {
  it('accepts what was sent, and refuses another body, secret or time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vidimus-hook-'));
    clean.push(() => rm(folder, { recursive: true }));
    const path = join(folder, 'secret');
    writeFileSync(path, `${SECRET}\n`);
    chmodSync(path, 0o600);
    const ops = await receiver();
    const hook = { ...hookOf(ops), secret: undefined, secret_path: path };
    const { service } = await watching('sqlite', JSON.parse(JSON.stringify(hook)) as object);
    await service.context.services.oversight.admin.test('ops');
    const [{ headers, body }] = ops.received as [WebhookReceiver['received'][number]];
    const signature = String(headers['vidimus-signature']);
    const now = service.clock.now() / 1000;

    const text = readFileSync('docs/WEBHOOKS.md', 'utf8');
    const [, python = ''] = /```python\n([^]*?)```/.exec(text) ?? [];
    const check = (...of: [string, string, string, number]) => {
      const program = `${python}\nimport json, sys\nsecret, header, body, now = json.load(sys.stdin)\nprint(is_genuine(secret, header, body.encode(), now))`;
      const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(of) });
      expect(String(stderr)).toBe('');
      return String(stdout).trim();
    };
    expect(check(SECRET, signature, body, now)).toBe('True');
    expect(check(SECRET, signature, `${body} `, now)).toBe('False');
    expect(check(`${SECRET}x`, signature, body, now)).toBe('False');
    expect(check(SECRET, signature, body, now + 301)).toBe('False');
    expect(check(SECRET, signature.replace(/t=\d/, 't=9'), body, now)).toBe('False');
    expect(existsSync(path)).toBe(true);
  });
});
