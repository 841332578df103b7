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
    ['max-age of 10 days is cut to 48 hours', { 'Cache-Control': 'max-age=864000' }, 48 * HOUR_MS],
    ['no header means 24 hours', {}, DAY_MS],
    ['max-age wins over Expires', { 'Cache-Control': 'max-age=7200', Expires: '0' }, 2 * HOUR_MS],
  ])('%s', async (_rule, headers, lifeMs) => {
    host.respond = document(headers);
    expect(await find()).toBe('d.example:1');
    expect(await asksAgainAfter(lifeMs * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it('keeps nothing for no-store', async () => {
    host.respond = document({ 'Cache-Control': 'no-store, max-age=3600' });
    await find();
    expect(await asksAgainAfter(0)).toBe(true);
  });
});

describe('failure of the well-known host', () => {
  it('is remembered for an hour', async () => {
    host.respond = respondStatus(404);
    expect(await find()).toBeNull();
    expect(await asksAgainAfter(HOUR_MS * FRESH_SHARE - SECOND_MS)).toBe(false);
    expect(await asksAgainAfter(2 * SECOND_MS)).toBe(true);
  });

  it('keeps the old document while it is valid and the error is temporary', async () => {
    await find();
    clock.advance(DAY_MS * FRESH_SHARE + MINUTE_MS);
    host.respond = respondStatus(503);
    expect(await find()).toBe('d.example:1');
    clock.advance(DAY_MS);
    expect(await find()).toBeNull();
  });

  it('ends at the deadline when the host never answers', async () => {
    host.respond = respondNever;
    expect(await find(200)).toBeNull();
    expect(host.hits).toHaveLength(1);
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
