import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { SVC_DIALECT } from '../../../../src/core/base/dialect.js';
import { WellKnownClient } from '../../../../src/core/notary/federation/well-known.js';
import { Deadline } from '../../../../src/core/base/deadline.js';
import type { Resolver } from '../../../../src/core/net/dns/dns-resolver.js';
import { testResolver } from '../../../support/test-resolver.js';
import { SafeHttpClient } from '../../../../src/core/net/http/safe-http-client.js';
import {
  respondJson,
  respondNever,
  respondRedirect,
  respondStatus,
  startKeyOrigin,
  type KeyOrigin,
  type Respond,
} from '../../../support/origins/key-origin.js';
import { startDnsServer } from '../../../support/origins/dns-server.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { testPolicy } from './federation-setup.js';

const FRESH_SHARE = 0.8;
const DOCUMENT = '{"svc.server":"d.example:1"}';

let ca: TestCa;
let host: KeyOrigin;
let clock: ManualClock;
let wellKnown: WellKnownClient;
let randomValue: number;

const document = (headers: Record<string, string> = {}, body = DOCUMENT): Respond =>
  respondJson(body, headers);

async function find(limitMs = 2000): Promise<string | null> {
  const deadline = new Deadline(limitMs);
  try {
    return (await wellKnown.find('name.example', { deadline })).delegated?.text ?? null;
  } finally {
    deadline.close();
  }
}

function createClient(resolver: Resolver): WellKnownClient {
  const httpClient = new SafeHttpClient({
    resolver,
    policy: testPolicy(),
    ca: [ca.caPem],
    minTlsVersion: 'TLSv1.2',
    maxHandshakeBytes: 32 * 1024,
    connectTimeoutMs: 1000,
    userAgent: 'Vidimus',
  });
  const random = (): number => randomValue;
  return new WellKnownClient({
    httpClient,
    dialect: SVC_DIALECT,
    clock,
    random,
    port: host.port,
  });
}

/** Whether a look-up after `ms` more goes out to the host. */
async function asksAgainAfter(ms: number): Promise<boolean> {
  const before = host.hits.length;
  clock.advance(ms);
  await find();
  return host.hits.length > before;
}

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  host = await startKeyOrigin({
    certificate: await ca.leaf({ names: ['name.example'] }),
    respond: document(),
  });
  clock = new ManualClock();
  randomValue = 0.5;
  wellKnown = createClient(testResolver({ clock, hosts: new Map([['name.example', ['127.0.0.1']]]) }));
});
afterEach(() => host.close());

describe('life of a good well-known document', () => {
  it.each<[string, Record<string, string>, number]>([
    ['max-age=1 is raised to 5 minutes', { 'Cache-Control': 'max-age=1' }, 5 * MINUTE_MS],
    ['max-age of an hour', { 'Cache-Control': 'public, Max-Age=3600' }, HOUR_MS],
    ['max-age of 10 days is cut to 48 hours', { 'Cache-Control': 'max-age=864000' }, 48 * HOUR_MS],
    ['absurd max-age is cut to 48 hours', { 'Cache-Control': `max-age=${'9'.repeat(400)}` }, 48 * HOUR_MS],
    ['no header means 24 hours', {}, DAY_MS],
    ['unreadable max-age means 24 hours', { 'Cache-Control': 'max-age=soon' }, DAY_MS],
    ['Expires of 0 is in the past, so 5 minutes', { Expires: '0' }, 5 * MINUTE_MS],
    ['max-age wins over Expires', { 'Cache-Control': 'max-age=7200', Expires: '0' }, 2 * HOUR_MS],
  ])('%s', async (_rule, headers, lifeMs) => {
    host.respond = document(headers);
    expect(await find()).toBe('d.example:1');
    expect(await asksAgainAfter(lifeMs * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it('reads Expires against the clock', async () => {
    host.respond = document({ Expires: new Date(clock.now() + 10 * HOUR_MS).toUTCString() });
    await find();
    expect(await asksAgainAfter(8 * HOUR_MS - 2 * SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(3 * SECOND_MS)).toBe(true);
  });

  it('is over when the clock is set back', async () => {
    await find();
    expect(await asksAgainAfter(-HOUR_MS)).toBe(true);
  });

  it('keeps nothing for no-store', async () => {
    host.respond = document({ 'Cache-Control': 'no-store, max-age=3600' });
    await find();
    expect(await asksAgainAfter(0)).toBe(true);
  });

  it.each([
    [0, 0.9],
    [0.999_999_999, 1.1],
  ])('stretches the default life by up to 10 %% (random %s)', async (value, share) => {
    randomValue = value;
    await find();
    expect(await asksAgainAfter(DAY_MS * share * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it('shares one entry between spellings of a name', async () => {
    await find();
    const deadline = new Deadline(1000);
    expect((await wellKnown.find('NAME.example', { deadline })).cached).toBe(true);
    deadline.close();
    expect(host.hits).toHaveLength(1);
  });
});

describe('failure of the well-known host', () => {
  it('is remembered for an hour', async () => {
    host.respond = respondStatus(404);
    expect(await find()).toBeNull();
    expect(await asksAgainAfter(HOUR_MS * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it.each([
    [404, 'http_not_found'],
    [403, 'http_status'],
    [429, 'http_unavailable'],
    [500, 'http_error'],
    [502, 'http_error'],
    [503, 'http_unavailable'],
  ])('with status %i has the reason %s', async (status, reason) => {
    host.respond = respondStatus(status);
    const deadline = new Deadline(2000);
    expect((await wellKnown.find('name.example', { deadline })).reason).toBe(reason);
    deadline.close();
  });

  it('is asked for again after the clock was set back', async () => {
    host.respond = respondStatus(404);
    await find();
    expect(await asksAgainAfter(-DAY_MS)).toBe(true);
  });

  it('keeps the old document while it is valid and the error is temporary', async () => {
    await find();
    clock.advance(DAY_MS * FRESH_SHARE + MINUTE_MS);
    host.respond = respondStatus(503);
    expect(await find()).toBe('d.example:1');
    clock.advance(DAY_MS);
    expect(await find()).toBeNull();
  });

  it('drops the old document at once when the host says it is gone', async () => {
    await find();
    clock.advance(DAY_MS * FRESH_SHARE + MINUTE_MS);
    host.respond = respondStatus(404);
    expect(await find()).toBeNull();
  });

  it('is remembered for only 2 minutes when there was a good document within 2 hours past its end', async () => {
    await find();
    clock.advance(DAY_MS + 2 * HOUR_MS - MINUTE_MS);
    host.respond = respondStatus(404);
    expect(await find()).toBeNull();
    expect(await asksAgainAfter(2 * MINUTE_MS * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it('is remembered for an hour when the good document is longer ago', async () => {
    await find();
    clock.advance(DAY_MS + 2 * HOUR_MS + MINUTE_MS);
    host.respond = respondStatus(404);
    await find();
    expect(await asksAgainAfter(HOUR_MS * FRESH_SHARE - SECOND_MS)).toBe(false);
  });

  it('is remembered for a minute when it is that our resolver answers with an error', async () => {
    const dns = await startDnsServer({ 'name.example': { failure: 'SERVFAIL' } });
    wellKnown = createClient(testResolver({ clock, servers: [dns.address] }));
    expect(await find()).toBeNull();
    dns.zones.set('name.example', { A: ['127.0.0.1'] });
    clock.advance(MINUTE_MS);
    expect(await find()).toBe('d.example:1');
    await dns.close();
  });

  it('ends at the deadline when the host never answers', async () => {
    host.respond = respondNever;
    expect(await find(200)).toBeNull();
    expect(host.hits).toHaveLength(1);
  });

  it('is not remembered when the caller gave up', async () => {
    host.respond = respondNever;
    const deadline = new Deadline(5000);
    const pending = wellKnown.find('name.example', { deadline });
    deadline.cancel();
    await expect(pending).rejects.toMatchObject({ reason: 'aborted' });
    deadline.close();
    host.respond = document();
    expect(await find()).toBe('d.example:1');
  });
});

describe('redirects of the well-known document', () => {
  function redirecting(times: number): Respond {
    let left = times;
    return (request, response) => {
      left -= 1;
      (left >= 0 ? respondRedirect(`/hop-${left}`, 301) : document())(request, response);
    };
  }

  it('follows five', async () => {
    host.respond = redirecting(5);
    expect(await find()).toBe('d.example:1');
    expect(host.hits.at(-1)).toMatchObject({ path: '/hop-0', host: 'name.example' });
  });

  it('gives up at the sixth', async () => {
    host.respond = redirecting(6);
    expect(await find()).toBeNull();
    expect(host.hits).toHaveLength(6);
  });

  it('goes to another host with its own Host and SNI', async () => {
    const other = await startKeyOrigin({
      certificate: await ca.leaf({ names: ['127.0.0.1'] }),
      respond: document(),
    });
    host.respond = respondRedirect(`https://${other.serverName}/moved?x=1#part`);
    expect(await find()).toBe('d.example:1');
    expect(other.hits).toMatchObject([{ path: '/moved?x=1', host: other.serverName, sni: null }]);
    await other.close();
  });

  it('checks the certificate of the host it is sent to', async () => {
    const other = await startKeyOrigin({
      certificate: await ca.leaf({ names: ['name.example'] }),
      respond: document(),
    });
    host.respond = respondRedirect(`https://${other.serverName}/`);
    expect(await find()).toBeNull();
    expect(other.hits).toEqual([]);
    await other.close();
  });

  it.each([
    'http://name.example/x',
    'ftp://name.example/x',
    'https://user:secret@name.example/x',
    'https://name.example:0/x',
    'https://',
    'data:application/json,{}',
    '',
    `/${'x'.repeat(9000)}`,
  ])('does not follow %j', async (location) => {
    host.respond = respondRedirect(location);
    expect(await find()).toBeNull();
    expect(host.hits).toHaveLength(1);
  });
});
