import http from 'node:http';
import { text } from 'node:stream/consumers';

import { afterEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { ProbeStore } from '../../../../src/core/operators/probes/probe-store.js';
import { updateProbe } from '../../../../src/core/operators/probes/update-probe.js';
import { probeJob } from '../../../../src/jobs/prove-health.js';
import { listenOnFreshPort } from '../../../support/fresh-port.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startDnsServer } from '../../../support/origins/dns-server.js';
import { startHomeserver } from '../../../support/origins/homeserver.js';
import { startKeyOrigin } from '../../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../../support/origins/key-record-maker.js';
import { createTestAuthority } from '../../../support/origins/remote-server.js';
import {
  OWN_NAME,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../../../support/service.js';
import { createSystemNames, nameserverLine } from '../../../support/system-names.js';
import { testEngines } from '../../../support/store/databases.js';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

async function started(options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  clean.push(() => service.remove());
  return service;
}

/** Runs the job as the button does, and waits for its end. */
async function prove(service: TestService, job: string): Promise<void> {
  const { finished } = await service.context.services.jobs.registry.runNow(job, 'ana');
  expect((await finished).outcome).toBe('ok');
}

async function lineOf(service: TestService, key: string) {
  const { checks } = await service.context.services.overview.overview.health();
  return checks.find((check) => check.key === key);
}

/** The headers that a proxy makes of those of an answer. */
type ProxyHeaders = (headers: Record<string, string>) => Record<string, string | string[]>;

async function passOn(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { to, headersOf }: { to: string; headersOf: ProxyHeaders },
): Promise<void> {
  const { method = 'GET', url = '' } = request;
  const body = method === 'POST' ? { body: await text(request) } : {};
  const answer = await fetch(`${to}${url}`, { method, ...body });
  const headers = headersOf(Object.fromEntries(answer.headers));
  response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
}

/** A plain proxy in front of a service that is started later. */
async function startProxy() {
  const state = {
    to: '',
    /** Paths that go to somebody who knows nothing of us. */
    lacks: null as RegExp | null,
    headersOf: (headers: Record<string, string>) => headers as ReturnType<ProxyHeaders>,
  };
  const server = http.createServer((request, response) => {
    if (state.to === '' || state.lacks?.test(request.url ?? '') === true) response.writeHead(502).end();
    else void passOn(request, response, state);
  });
  const port = await listenOnFreshPort(server, '127.0.0.1');
  clean.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}/`, state };
}

describe.each(testEngines())('the homeserver on %s', (engine) => {
  it('is not proved at first, then fine, failed when it is dead, and not proved when that was long ago', async () => {
    const homeserver = await startHomeserver({});
    clean.push(() => homeserver.close());
    const settings = { dialect: 'matrix', auth: { homeserver_url: homeserver.url } };
    const service = await started({ engine, settings });
    expect(await lineOf(service, 'homeserver')).toMatchObject({
      state: 'unproved',
      provedTs: null,
      job: 'prove_homeserver',
    });

    await prove(service, 'prove_homeserver');
    const provedTs = service.clock.now();
    expect(await lineOf(service, 'homeserver')).toMatchObject({ state: 'ok', provedTs });
    expect(homeserver.asked[0]).toMatch(/^\/_matrix\/client\/v3\/account\/whoami Bearer vidimus-probe-/);

    homeserver.state.fail = true;
    await prove(service, 'prove_homeserver');
    const dead = await lineOf(service, 'homeserver');
    expect(dead).toMatchObject({ state: 'failed' });
    expect(dead?.message).toContain('503');

    service.clock.advance(HOUR_MS);
    expect(await lineOf(service, 'homeserver')).toMatchObject({ state: 'unproved', provedTs });
  });
});

describe('what is tried', () => {
  it('fails for a homeserver that takes a made-up token, and for one that answers like none', async () => {
    const homeserver = await startHomeserver({});
    clean.push(() => homeserver.close());
    const settings = { dialect: 'matrix', auth: { homeserver_url: homeserver.url } };
    const service = await started({ settings });
    homeserver.state.says = { status: 200, body: '{"user_id":"@all:example.org"}' };
    await prove(service, 'prove_homeserver');
    expect((await lineOf(service, 'homeserver'))?.message).toContain('@all:example.org');
    homeserver.state.says = { status: 200, body: '<html>' };
    await prove(service, 'prove_homeserver');
    expect(await lineOf(service, 'homeserver')).toMatchObject({ state: 'failed' });
  });

  it('says nothing of another homeserver than the one that was asked', async () => {
    const first = await startHomeserver({});
    clean.push(() => first.close());
    const service = await started({ settings: { dialect: 'matrix', auth: { homeserver_url: first.url } } });
    await prove(service, 'prove_homeserver');
    const again = await service.restart({ auth: { homeserver_url: 'http://127.0.0.1:9/' } });
    clean.push(() => again.stop());
    expect(await lineOf(again, 'homeserver')).toMatchObject({ state: 'unproved', provedTs: null });
  });

  it('is DNS: that a name does not exist is an answer, silence and errors are none', async () => {
    const dns = await startDnsServer();
    const service = await started({ settings: { dns: { servers: [dns.address] } } });
    await prove(service, 'prove_dns');
    expect(await lineOf(service, 'dns')).toMatchObject({ state: 'ok' });
    expect(dns.queries[0]).toMatch(new RegExp(`^A{1,4} vidimus-probe-[0-9a-f]{12}\\.${OWN_NAME}$`));

    await dns.close();
    await prove(service, 'prove_dns');
    expect(await lineOf(service, 'dns')).toMatchObject({ state: 'failed' });
  });

  it('is DNS whatever its search domains answer, and not when the resolver gives nothing but errors', async () => {
    const dns = await startDnsServer();
    const names = await createSystemNames([]);
    clean.push(
      () => dns.close(),
      () => names.remove(),
    );
    await names.writeResolvConf(`${nameserverLine(dns.address)}search corp.example\noptions ndots:5\n`);
    const service = await started({ dnsFiles: names.files });
    dns.zones.set('*.corp.example', { failure: 'SERVFAIL' });
    await prove(service, 'prove_dns');
    expect(await lineOf(service, 'dns')).toMatchObject({ state: 'ok' });

    dns.zones.set(`*.${OWN_NAME}`, { failure: 'SERVFAIL' });
    await prove(service, 'prove_dns');
    expect(await lineOf(service, 'dns')).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('ESERVFAIL') as string,
    });
  });

  it('is our own record through public_baseurl, which a proxy that leads elsewhere does not bring', async () => {
    const proxy = await startProxy();
    const service = await started({ settings: { public_baseurl: proxy.url } });
    await prove(service, 'prove_own_record');
    expect(await lineOf(service, 'reach')).toMatchObject({ state: 'failed' });

    proxy.state.to = service.url;
    await prove(service, 'prove_own_record');
    expect(await lineOf(service, 'reach')).toMatchObject({ state: 'ok', provedTs: service.clock.now() });
  });

  it('is our own record, unproved where a rule keeps us from asking, which is named', async () => {
    const service = await started({
      settings: { dns: { hosts: { [OWN_NAME]: ['10.1.2.3'] } }, ip_range_whitelist: [] },
    });
    await prove(service, 'prove_own_record');
    const line = await lineOf(service, 'reach');
    expect(line).toMatchObject({ state: 'unproved' });
    expect(line?.message).toContain('10.0.0.0/8: entry 1 of ip_range_blacklist (built in)');
  });

  it('is our clock: servers whose keys are known are asked for the time, without any it is not proved', async () => {
    const authority = await createTestAuthority();
    clean.push(() => authority.remove());
    // The last two share a domain with the first.
    const names = ['a.test', 'b.test', 'c.test', 'x.a.test', 'y.a.test'];
    const origin = await startKeyOrigin({
      certificate: await authority.leaf({ names }),
      respond: (_request, response) => void response.writeHead(404).end(),
    });
    clean.push(() => origin.close());
    const service = await started({
      clock: new ManualClock(Date.now()),
      caPaths: [authority.caPath],
      settings: {
        dns: { hosts: Object.fromEntries(names.map((name) => [name, ['127.0.0.1']])) },
        federation: { default_port: origin.port, well_known_port: origin.port },
      },
    });
    await prove(service, 'prove_clock');
    for (const key of ['peer_clocks', 'clock'])
      expect(await lineOf(service, key)).toMatchObject({
        state: 'unproved',
        advice: expect.stringMatching(/prove/),
      });

    const row = { sha256: '', published: Buffer.alloc(0), validUntilTs: 1n, firstSeenTs: 1n, lastSeenTs: 1n };
    await service.context.parts.database.client.keyRecord.createMany({
      data: names.map((serverName) => ({ ...row, serverName })),
    });
    await prove(service, 'prove_clock');
    for (const key of ['peer_clocks', 'clock'])
      expect(await lineOf(service, key)).toMatchObject({
        state: 'ok',
        message: expect.stringContaining('3 other servers'),
      });

    service.clock.advance(-HOUR_MS);
    await prove(service, 'prove_clock');
    expect(await lineOf(service, 'peer_clocks')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('behind'),
    });
    expect(await lineOf(service, 'clock')).toMatchObject({ state: 'unproved' });
  });

  it('is who answers by the public name, and whether browsers may read it', async () => {
    const proxy = await startProxy();
    const service = await started({ settings: { public_baseurl: proxy.url } });
    await prove(service, 'prove_routes');
    const away = await lineOf(service, 'routes');
    expect(away).toMatchObject({ state: 'failed' });
    expect(away?.message).toContain('another server (status 502)');
    expect(away?.advice).toContain('config proxy nginx');

    proxy.state.to = service.url;
    await prove(service, 'prove_routes');
    expect(await lineOf(service, 'routes')).toMatchObject({ state: 'ok' });
    // It is no client's request that was refused.
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics.match(/^vidimus_preview_refusals_total\{[^}]*\} [1-9].*$/gm)).toBeNull();

    const name = 'access-control-allow-origin';
    proxy.state.headersOf = (headers) => ({ ...headers, [name]: ['*', '*'] });
    await prove(service, 'prove_routes');
    const twice = await lineOf(service, 'routes');
    expect(twice).toMatchObject({ state: 'warning' });
    expect(twice?.message).toContain('(*, *)');

    proxy.state.headersOf = (headers) =>
      Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    await prove(service, 'prove_routes');
    expect((await lineOf(service, 'routes'))?.message).toContain('without Access-Control-Allow-Origin');
  });

  it.each([
    ['svc', 'client/v1/media/download'],
    ['svc', 'media/v3/thumbnail'],
    ['svc', 'vidimus/v1/log'],
    ['matrix', 'client/v1/media/download'],
    ['matrix', 'media/v3/thumbnail'],
    ['matrix', 'vidimus/v1/log'],
  ])(
    'is whether all of %s gets here, which a proxy without lines for %s does not bring',
    async (dialect, path) => {
      const proxy = await startProxy();
      const service = await started({ settings: { dialect, public_baseurl: proxy.url } });
      proxy.state.to = service.url;
      proxy.state.lacks = new RegExp(`^/_(svc|matrix)/${path}/`);
      await prove(service, 'prove_routes');
      const without = await lineOf(service, 'routes');
      expect(without).toMatchObject({ state: 'failed' });
      const asked = path.endsWith('/log') ? 'checkpoint' : `${OWN_NAME}/`;
      expect(without?.message).toContain(`/_${dialect}/${path}/${asked}`);
      expect(without?.advice).toContain('config proxy nginx');

      proxy.state.lacks = null;
      await prove(service, 'prove_routes');
      expect(await lineOf(service, 'routes')).toMatchObject({
        state: 'ok',
        message: `previews, media, keys, log: asked at ${proxy.url.slice(0, -1)}, we answer.`,
      });
    },
  );

  it('is the newest version where an address is configured: once a day, and nothing is sent but the request', async () => {
    const asked: http.IncomingMessage[] = [];
    const says = { version: '999.1.0', score: 0.5 };
    const registry = http.createServer((request, response) => {
      asked.push(request);
      response.end(JSON.stringify(says));
    });
    const port = await listenOnFreshPort(registry, '127.0.0.1');
    clean.push(async () => {
      registry.close();
      registry.closeAllConnections();
    });
    const url = `http://127.0.0.1:${port}/vidimus/latest`;
    const plain = await started({});
    expect(await lineOf(plain, 'updates')).toBeUndefined();
    expect(plain.context.services.jobs.registry.definitions.map(({ name }) => name)).not.toContain(
      'prove_updates',
    );

    const refused = await started({ settings: { update_check: { url }, ip_range_whitelist: [] } });
    await prove(refused, 'prove_updates');
    expect(await lineOf(refused, 'updates')).toMatchObject({ state: 'unproved' });
    expect(asked).toEqual([]);

    const service = await started({
      settings: { update_check: { url }, ip_range_whitelist: ['127.0.0.1'] },
    });
    await prove(service, 'prove_updates');
    const line = await lineOf(service, 'updates');
    expect(line).toMatchObject({ state: 'warning' });
    expect(line?.message).toContain('999.1.0');
    expect(
      asked.map(({ method, url: path, headers }) => ({ method, path, names: Object.keys(headers) })),
    ).toEqual([{ method: 'GET', path: '/vidimus/latest', names: ['accept', 'host', 'connection'] }]);

    let times = 0;
    const { parts, services } = service.context;
    const ask = async () => ({ status: 200, body: Buffer.from(`{"version":"1.0.${(times += 1)}"}`) });
    const options = { ...parts, ...services.jobs, store: new ProbeStore(parts.database) };
    const daily = probeJob(updateProbe({ url, version: '1.0.0', ask }), options);
    for (const hours of [0, 23, 1, 1]) {
      service.clock.advance(hours * HOUR_MS);
      await daily.job?.trigger();
    }
    expect(times).toBe(2);

    says.version = '0.0.1';
    await prove(service, 'prove_updates');
    expect(await lineOf(service, 'updates')).toMatchObject({ state: 'ok' });
    says.version = 'none';
    await prove(service, 'prove_updates');
    expect((await lineOf(service, 'updates'))?.message).toContain('names no version');
  });

  it('is our own record by discovery, which somebody else under our name does not bring', async () => {
    const authority = await createTestAuthority();
    clean.push(() => authority.remove());
    let record = Buffer.alloc(0);
    const origin = await startKeyOrigin({
      certificate: await authority.leaf({ names: [OWN_NAME] }),
      respond: (request, response) => {
        response.writeHead(request.url?.includes('/key/v2/server') === true ? 200 : 404).end(record);
      },
    });
    clean.push(() => origin.close());
    const service = await started({
      caPaths: [authority.caPath],
      settings: {
        dns: { hosts: { [OWN_NAME]: ['127.0.0.1'] } },
        federation: { default_port: origin.port, well_known_port: origin.port },
      },
    });
    record = Buffer.from(await (await fetch(`${service.url}/_svc/key/v2/server`)).arrayBuffer());
    await prove(service, 'prove_own_record');
    expect(await lineOf(service, 'reach')).toMatchObject({ state: 'ok' });

    const validUntilTs = service.clock.now() + HOUR_MS;
    const strange = makeTestKey('other', Buffer.alloc(32, 9));
    record = Buffer.from(makeKeyRecord({ serverName: OWN_NAME, keys: [strange], validUntilTs }));
    await prove(service, 'prove_own_record');
    const line = await lineOf(service, 'reach');
    expect(line).toMatchObject({ state: 'failed' });
    expect(line?.message).toMatch(/does not list ed25519:/);
  });
});
