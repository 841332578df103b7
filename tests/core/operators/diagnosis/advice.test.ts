import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort, startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import {
  respondJson,
  respondNever,
  respondStatus,
  startKeyOrigin,
  type KeyOriginOptions,
} from '../../../support/origins/key-origin.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { K1, K2, made, respondWith, spoiled, type Recipe } from '../../../support/origins/record-recipes.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { diagnose, type DiagnosisSetup } from './diagnosis-setup.js';

const NOW_TS = new ManualClock().now();
const HOSTS = { 'name.example': ['127.0.0.1'] };
const SHORT = { keyFetchTimeoutMs: 400, connectTimeoutMs: 100 };

/** What the origin answers, and with which settings. */
const ANSWERS: [string, Recipe, RegExp, DiagnosisSetup?][] = [
  ['http_status', () => respondStatus(404), /passes this path/],
  ['http_error', () => respondStatus(500), /internal error/],
  ['http_unavailable', () => respondStatus(503), /overloaded, restarting/],
  ['timeout_headers', () => respondNever, /hangs or is overloaded/, SHORT],
  ['record_name_mismatch', made({ serverName: 'victim.example' }), /Another server answered/],
  ['record_bad_shape', spoiled((record) => delete record['verify_keys']), /violates the specification/],
  ['record_no_signature', made({ signWith: [K2] }), /nothing proves/],
  ['record_expired', made({ validUntilTs: NOW_TS }), /has expired/],
  ['key_missing', made({}), /does not publish this key/, { question: { keyId: 'ed25519:none' } }],
  ['json_syntax', () => 'hello', /not JSON/],
  ['json_float', () => '{"a":1.5}', /not strict JSON/],
];

describe('advice', () => {
  let ca: TestCa;
  let dns: DnsServer;

  beforeAll(async () => {
    ca = await createTestCa();
    dns = await startDnsServer();
  });
  afterAll(() => dns.close());

  /** Diagnoses; the first advice given. */
  const advised = async (serverName: string, setup?: DiagnosisSetup) => {
    const { steps } = await diagnose(ca.caPem, serverName, setup);
    const step = steps.find(({ advice }) => advice !== undefined);
    return step?.status === 'failed' || step?.status === 'warning' ? step.advice : null;
  };
  const startOrigin = async (respond: KeyOriginOptions['respond']) =>
    startKeyOrigin({ certificate: await ca.leaf({ names: ['127.0.0.1', 'name.example'] }), respond });

  it.each(ANSWERS)('is given when an answer has the error %s', async (_reason, recipe, advice, setup) => {
    const origin = await startOrigin(respondNever);
    const { serverName } = origin;
    origin.respond = respondWith(recipe, { serverName, keys: [K1], validUntilTs: NOW_TS + 86_400_000 });

    expect(await advised(serverName, setup)).toMatch(advice);

    await origin.close();
  });

  it('is given for a certificate, for an address in a blocked range, and when nothing listens', async () => {
    const certificate = await ca.expired(['127.0.0.1']);
    const origin = await startKeyOrigin({ certificate, respond: respondNever });
    expect(await advised(origin.serverName)).toContain('has expired');
    expect(await advised(origin.serverName, { whitelist: [] })).toContain('ip_range_whitelist');
    await origin.close();
    expect(await advised(`127.0.0.1:${await freePort()}`)).toContain('Nothing listens');
  });

  it('is given for names that DNS does not find', async () => {
    dns.zones.set('broken.example', { failure: 'SERVFAIL' });
    dns.zones.set('_svc-fed._tcp.none.example', { SRV: [{ target: '.', port: 1 }] });
    const setup = { dns: dns.address, ...SHORT };

    expect(await advised('nowhere.example:1', setup)).toContain('no A or AAAA record');
    expect(await advised('broken.example:1', setup)).toContain('dns.servers');
    const { steps } = await diagnose(ca.caPem, 'none.example', setup);
    expect(steps.find(({ name }) => name === 'srv')?.advice).toContain('SRV record');
  });

  it('is given for a delegation document that cannot be used, though discovery goes on', async () => {
    const origin = await startOrigin(respondJson('{"svc.server":8448}'));
    const setup = { hosts: HOSTS, wellKnownPort: origin.port, defaultPort: origin.port };

    expect(await advised('name.example', setup)).toContain('m.server');
    origin.respond = respondStatus(500);
    const { steps } = await diagnose(ca.caPem, 'name.example', setup);

    expect(steps.find(({ name }) => name === 'well-known')?.advice).toMatch(
      /^The name itself is used instead/,
    );
    await origin.close();
  });
});
