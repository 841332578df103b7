import http from 'node:http';
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';

import { openTraceExport } from '../../src/core/net/tracing/trace-export.js';
import { ServerLock } from '../../src/core/store/sqlite/server-lock.js';
import { startVidimus, temporaryFolder, writeConfig } from '../cli/vidimus.js';
import { postKey } from '../support/clients/notary-client.js';
import { createToken, preview } from '../support/clients/preview-client.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { ManualClock } from '../support/manual-clock.js';
import { createTestAuthority, startRemoteServer } from '../support/origins/remote-server.js';
import { page, startRemoteSite } from '../support/origins/remote-site.js';
import { startTestService } from '../support/service.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code: number };
}

interface Export {
  resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** A collector on loopback, which takes spans unless it is told to refuse. */
async function startCollector() {
  const received: { path: string | undefined; type: string | undefined; body: Export }[] = [];
  const state = { status: 200, isSilent: false };
  const held = new Set<http.ServerResponse>();
  const take = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = (await json(request)) as Export;
    received.push({ path: request.url, type: request.headers['content-type'], body });
    if (state.isSilent) held.add(response);
    else response.writeHead(state.status).end('{}');
  };
  const answerHeld = (): void => {
    for (const response of held) response.writeHead(200).end('{}');
  };
  const server = http.createServer((request, response) => void take(request, response));
  const port = await listenOnFreshPort(server, '127.0.0.1');
  undo.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  const spans = (): Span[] =>
    received.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return { endpoint: `http://127.0.0.1:${port}/v1/traces`, received, spans, state, held, answerHeld };
}

const attribute = (span: Span | undefined, name: string): unknown =>
  Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe('traces', () => {
  it('tell key fetches and previews with their stages, and no address of a page or user', async () => {
    const collector = await startCollector();
    const authority = await createTestAuthority();
    undo.push(() => authority.remove());
    const site = await startRemoteSite();
    undo.push(() => site.close());
    site.pages.set('/secret-path', page('<title>Hello</title>'));
    const service = await startTestService({
      caPaths: [authority.caPath],
      settings: { tracing: { endpoint: collector.endpoint } },
    });
    const remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
    undo.push(() => remote.origin.close());

    await postKey(service.url, remote.serverName);
    await postKey(service.url, 'nowhere.test');
    const token = await createToken(service);
    expect((await preview(service, token, site.url('/secret-path'))).status).toBe(200);
    await preview(service, token, site.url('/secret-path'));
    const { metrics } = service.context.parts;
    await service.remove();

    expect(new Set(collector.received.map(({ path, type }) => `${path} ${type}`))).toEqual(
      new Set(['/v1/traces application/json']),
    );
    const spans = collector.spans();
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '');
    expect(roots.map(({ name }) => name).toSorted()).toEqual(['key_fetch', 'key_fetch', 'preview']);
    const rootOf = (address: string) => roots.find((root) => attribute(root, 'server.address') === address);
    const namesIn = (root: Span | undefined) =>
      spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId).map(({ name }) => name);
    expect(namesIn(rootOf(remote.serverName))).toEqual(
      expect.arrayContaining([
        'key_fetch.connect',
        'key_fetch.tls',
        'key_fetch.response',
        'key_fetch.record',
      ]),
    );
    const failed = rootOf('nowhere.test');
    expect(failed?.status.code).toBe(2);
    expect(attribute(failed, 'error.type')).toMatch(/^dns/);
    const made = roots.find(({ name }) => name === 'preview');
    expect(attribute(made, 'server.address')).toBe(new URL(site.url('/')).host);
    expect(namesIn(made)).toEqual(expect.arrayContaining(['preview.decode', 'preview.parse']));
    expect(BigInt(made?.endTimeUnixNano ?? 0) >= BigInt(made?.startTimeUnixNano ?? 0)).toBe(true);
    const [first] = collector.received;
    const [{ resource }] = first!.body.resourceSpans as [Export['resourceSpans'][number]];
    expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'vidimus' } });
    const text = JSON.stringify(collector.received);
    expect(text).not.toContain('secret-path');
    expect(text).not.toContain('@alice');
    expect(await metrics.registry.metrics()).toMatch(
      new RegExp(`vidimus_trace_spans_total\\{outcome="sent"\\} ${spans.length}\n`),
    );
  });

  it('drop what the queue has no room for, and go on when the collector refuses', async () => {
    const collector = await startCollector();
    collector.state.status = 503;
    const exports: (Error | null)[] = [];
    const traces = await openTraceExport({
      endpoint: collector.endpoint,
      clock: new ManualClock(),
      version: '1.0.0',
      instance: 'a',
      samplePercent: 100,
      maxQueue: 16,
      timeoutMs: 5000,
      onExport: (_spans, error) => exports.push(error),
    });
    const work = {
      name: 'preview',
      attributes: {},
      startedTs: 1,
      durationMs: 1,
      steps: [],
      reason: null,
    } as const;
    for (let count = 0; count < 10_000; count += 1) traces.tell(work);
    await traces.close();

    expect(collector.spans().length).toBeGreaterThanOrEqual(16);
    expect(collector.spans().length).toBeLessThan(100);
    expect(exports.at(-1)?.message).toBe('the collector answered 503');
  });

  it('keep neither the database nor its lock while the collector is silent at the end', async () => {
    const collector = await startCollector();
    collector.state.isSilent = true;
    const service = await startTestService({ settings: { tracing: { endpoint: collector.endpoint } } });
    undo.push(() => service.remove());
    await postKey(service.url, 'nowhere.test');
    const { databaseOptions } = service.context.parts;
    if (databaseOptions.engine !== 'sqlite') throw new Error('this is about SQLite');
    const lock = new ServerLock(databaseOptions, service.clock);
    // Who closes the database leaves nothing in its log.
    const logBytes = () => statSync(`${databaseOptions.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    expect(logBytes()).toBeGreaterThan(0);
    expect(await lock.holder()).toContain(`process ${process.pid} `);
    let isStopped = false;
    const stopped = service.stop().then(() => (isStopped = true));
    await expect.poll(() => collector.held.size).toBe(1);
    await expect.poll(() => lock.holder()).toBeNull();
    expect(logBytes()).toBe(0);
    expect(isStopped).toBe(false);
    collector.answerHeld();
    await stopped;
  });

  it('are nowhere loaded while they are off', async () => {
    const folder = await temporaryFolder();
    undo.push(() => folder.remove());
    const list = join(folder.path, 'loaded.txt');
    const hooks = `import { appendFileSync } from 'node:fs';
      export const load = (url, context, next) => {
        appendFileSync(${JSON.stringify(list)}, url + '\\n');
        return next(url, context);
      };`;
    await writeFile(join(folder.path, 'hooks.mjs'), hooks);
    const register = `import { register } from 'node:module'; register('./hooks.mjs', ${JSON.stringify(`file://${folder.path}/`)});`;
    await writeFile(join(folder.path, 'register.mjs'), register);
    const loadedWith = async (settings: Record<string, unknown>): Promise<string> => {
      await writeFile(list, '');
      await writeConfig(folder.path, settings);
      const env = { NODE_OPTIONS: `--import ${join(folder.path, 'register.mjs')}` };
      const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path, env });
      await running.log('ready');
      running.child.kill('SIGKILL');
      await running.finished;
      return readFile(list, 'utf8');
    };

    const off = await loadedWith({});
    const on = await loadedWith({ tracing: { endpoint: 'http://127.0.0.1:9/v1/traces' } });

    expect(off).toMatch(/\/chunks\/run-service/);
    expect(off).not.toMatch(/\/chunks\/trace-export/);
    expect(on).toMatch(/\/chunks\/trace-export/);
  });
});
