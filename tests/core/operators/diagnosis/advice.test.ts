import net, { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NameLookups } from '../../../../src/core/net/dns/name-lookups.js';
import { SYSTEM_FILES, watchSystemFiles } from '../../../../src/core/net/dns/system-files.js';
import { Deadline } from '../../../../src/core/base/deadline.js';
import { AddressGate } from '../../../../src/core/net/http/guarded-connect.js';
import { ADVICE, type StepReason } from '../../../../src/core/operators/diagnosis/advice.js';
import { freePort, startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import {
  respondCut,
  respondJson,
  respondNever,
  respondRaw,
  respondRedirect,
  respondSlowly,
  respondStatus,
  startKeyOrigin,
  type KeyOriginOptions,
} from '../../../support/origins/key-origin.js';
import { ManualClock } from '../../../support/manual-clock.js';
import {
  K1,
  K2,
  copies,
  listed,
  listedAndSigning,
  made,
  respondWith,
  spoiled,
  type Recipe,
} from '../../../support/origins/record-recipes.js';
import {
  createSelfSigned,
  createTestCa,
  overlongChain,
  type TestCa,
  type TestCertificate,
} from '../../../support/origins/test-ca.js';
import { diagnose, type DiagnosisSetup } from './diagnosis-setup.js';

const NOW_TS = new ManualClock().now();
const HOSTS = { 'name.example': ['127.0.0.1'] };
const SHORT = { keyFetchTimeoutMs: 400, connectTimeoutMs: 100 };
const WEAK = { ...K2, publicKey: `AQ${'A'.repeat(41)}` };

/** What the origin answers, and with which settings. */
const ANSWERS: [StepReason, Recipe, DiagnosisSetup?][] = [
  ['bad_http', () => respondRaw('hello\r\n\r\n')],
  ['body_cut', () => respondCut],
  ['http_encoding', () => respondJson(gzipSync('{}'), { 'Content-Encoding': 'gzip' })],
  ['http_redirect', () => respondRedirect('/elsewhere')],
  ['http_status', () => respondStatus(404)],
  ['http_error', () => respondStatus(500)],
  ['http_unavailable', () => respondStatus(503)],
  ['timeout_body', () => respondSlowly, SHORT],
  ['timeout_headers', () => respondNever, SHORT],
  ['too_large', made({ extra: { pad: 'x'.repeat(300_000) } })],
  ['record_not_object', () => '[]'],
  ['record_name_mismatch', made({ serverName: 'victim.example' })],
  ['record_bad_validity', made({ validUntilTs: -1 })],
  ['record_bad_shape', spoiled((record) => delete record['verify_keys'])],
  ['record_bad_key', listed(['ed25519:x', 'AAAA'])],
  ['record_bad_key_id', listed(['ed25519:\u0000', K1.publicKey])],
  ['record_weak_key', listed(['ed25519:x', WEAK.publicKey])],
  [
    'record_banned_key',
    made({}),
    { policy: { bannedPublicKeys: new Set([Buffer.from(K1.publicKey, 'base64').toString('hex')]) } },
  ],
  ['record_too_many_keys', listed(...copies(1000))],
  ['record_no_signature', made({ signWith: [K2] })],
  ['record_bad_signature', spoiled((record) => (record['valid_until_ts'] = NOW_TS))],
  ['record_too_many_signatures', listedAndSigning(...copies(99))],
  [
    'record_unproven_key',
    made({ keys: [K1, K2], signWith: [K1] }),
    { policy: { requireAllKeysSigned: true } },
  ],
  ['record_expired', made({ validUntilTs: NOW_TS })],
  ['record_expires_soon', made({ validUntilTs: NOW_TS + 60_000 })],
  ['record_unproven', made({ keys: [K1, K2], signWith: [K1] })],
  ['key_missing', made({}), { question: { keyId: 'ed25519:none' } }],
  ['json_syntax', () => 'hello'],
  ['json_not_utf8', () => Buffer.from('{"a":"\xff"}', 'latin1')],
  ['json_depth', () => `${'['.repeat(100)}${']'.repeat(100)}`],
  ['json_parts', () => `[${'1,'.repeat(20_000)}1]`],
  ['json_duplicate_member', () => '{"a":1,"a":2}'],
  ['json_float', () => '{"a":1.5}'],
  ['json_negative_zero', () => '{"a":-0}'],
  ['json_number_length', () => `{"a":${'9'.repeat(5000)}}`],
  ['json_lone_surrogate', () => '{"a":"\\ud800"}'],
];

const CERTIFICATES: [StepReason, (ca: TestCa) => Promise<TestCertificate>, Partial<KeyOriginOptions>?][] = [
  ['tls_expired', (ca) => ca.expired(['127.0.0.1'])],
  ['tls_not_yet_valid', (ca) => ca.notYetValid(['127.0.0.1'])],
  ['tls_self_signed', () => createSelfSigned(['127.0.0.1'])],
  ['tls_unknown_ca', async () => (await createTestCa('Some other authority')).leaf({ names: ['127.0.0.1'] })],
  ['tls_wrong_name', (ca) => ca.leaf({ names: ['127.0.0.2'] })],
  ['tls_too_large', overlongChain],
  [
    'tls_failure',
    (ca) => ca.leaf({ names: ['127.0.0.1'] }),
    { maxTlsVersion: 'TLSv1.1', minTlsVersion: undefined },
  ],
];

/** Told by other tests, or not to be had on loopback. */
const ELSEWHERE: StepReason[] = [
  'bad_name',
  'not_whitelisted',
  'backing_off',
  'key_replaced',
  'http_not_found',
  'host_unreachable',
  'internal',
  'tls_plain_http',
];

describe('advice', () => {
  let ca: TestCa;
  let dns: DnsServer;
  const reached = new Set<string>(ELSEWHERE);

  beforeAll(async () => {
    ca = await createTestCa();
    dns = await startDnsServer();
  });
  afterAll(() => dns.close());

  /** Diagnoses; the first advice given. */
  const advised = async (reason: StepReason, serverName: string, setup?: DiagnosisSetup) => {
    const { steps } = await diagnose(ca.caPem, serverName, setup);
    const step = steps.find(({ advice }) => advice !== undefined);
    reached.add(reason);
    return step?.status === 'failed' || step?.status === 'warning' ? step.advice : null;
  };
  const startOrigin = async (respond: KeyOriginOptions['respond']) =>
    startKeyOrigin({ certificate: await ca.leaf({ names: ['127.0.0.1', 'name.example'] }), respond });

  it.each(ANSWERS)('is given when an answer has the error %s', async (reason, recipe, setup) => {
    const origin = await startOrigin(respondNever);
    const { serverName } = origin;
    origin.respond = respondWith(recipe, { serverName, keys: [K1], validUntilTs: NOW_TS + 86_400_000 });

    expect(await advised(reason, serverName, setup)).toBe(ADVICE[reason]);

    await origin.close();
  });

  it.each(CERTIFICATES)(
    'is given when a certificate has the error %s',
    async (reason, certificate, options) => {
      const origin = await startKeyOrigin({
        certificate: await certificate(ca),
        respond: respondNever,
        ...options,
      });

      expect(await advised(reason, origin.serverName)).toBe(ADVICE[reason]);

      await origin.close();
    },
  );

  it('is given when nobody can be connected to', async () => {
    const origin = await startOrigin(respondNever);
    expect(await advised('address_blocked', origin.serverName, { whitelist: [] })).toBe(
      ADVICE.address_blocked,
    );
    expect(await advised('aborted', origin.serverName, { question: { signal: AbortSignal.abort() } })).toBe(
      ADVICE.aborted,
    );
    await origin.close();
    expect(await advised('connection_refused', `127.0.0.1:${await freePort()}`)).toBe(
      ADVICE.connection_refused,
    );
  });

  it.each<[StepReason, (socket: net.Socket) => void]>([
    ['connection_reset', (socket) => socket.resetAndDestroy()],
    ['timeout_connect', () => {}],
  ])('is given when a connection ends with %s', async (reason, behave) => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      behave(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

    expect(await advised(reason, `127.0.0.1:${(server.address() as AddressInfo).port}`, SHORT)).toBe(
      ADVICE[reason],
    );

    for (const socket of sockets) socket.destroy();
    await new Promise<unknown>((resolve) => server.close(resolve));
  });

  it('is given for names that DNS does not find', async () => {
    dns.zones.set('broken.example', { failure: 'SERVFAIL' });
    dns.zones.set('silent.example', { failure: 'silence' });
    dns.zones.set('_svc-fed._tcp.none.example', { SRV: [{ target: '.', port: 1 }] });
    const setup = { dns: dns.address, ...SHORT };

    expect(await advised('dns_no_address', 'nowhere.example:1', setup)).toBe(ADVICE.dns_no_address);
    expect(await advised('dns_failure', 'broken.example:1', setup)).toBe(ADVICE.dns_failure);
    expect(await advised('dns_timeout', 'silent.example:1', setup)).toBe(ADVICE.dns_timeout);
    const { steps } = await diagnose(ca.caPem, 'none.example', setup);
    expect(steps.find(({ name }) => name === 'srv')?.advice).toBe(ADVICE.dns_no_service);
    reached.add('dns_no_service');
  });

  it('is given when too many look-ups are under way here', async () => {
    const clock = new ManualClock();
    dns.zones.set('silent.example', { failure: 'silence' });
    const limits = { maxLookups: 1, maxLookupsPerClient: 1, maxLookupsPerDomain: 1, limitMs: 1000 };
    const files = watchSystemFiles(SYSTEM_FILES, clock, null);
    const servers = [dns.address];
    const lookups = new NameLookups({ ...limits, clock, logger: null, servers, resolver: 'c-ares', files });
    const others = [lookups.srv('silent.example'), lookups.srv('waiting.example')];
    const ended = Promise.allSettled(others);

    expect(await advised('dns_busy', 'third.example:1', { lookups, ...SHORT })).toBe(ADVICE.dns_busy);
    lookups.close();
    await ended;
  });

  it('is given for an address that is asked too much already', async () => {
    const gate = new AddressGate(1);
    const deadline = new Deadline(60_000);
    await gate.enter('127.0.0.1', { client: undefined, deadline, isKnown: false, isOptional: false });
    deadline.close();

    const setup = { hosts: HOSTS, gate, ...SHORT };
    expect(await advised('address_busy', 'name.example:1', setup)).toBe(ADVICE.address_busy);
  });

  it('is given for a delegation document that cannot be used, though discovery goes on', async () => {
    const origin = await startOrigin(respondJson('{"svc.server":8448}'));
    const setup = { hosts: HOSTS, wellKnownPort: origin.port, defaultPort: origin.port };

    expect(await advised('bad_document', 'name.example', setup)).toBe(ADVICE.bad_document);
    origin.respond = respondStatus(500);
    const { steps } = await diagnose(ca.caPem, 'name.example', setup);

    expect(steps.find(({ name }) => name === 'well-known')?.advice).toMatch(
      /^The name itself is used instead/,
    );
    await origin.close();
  });

  it('was given above for each reason there is', () => {
    expect(Object.keys(ADVICE).filter((reason) => !reached.has(reason))).toEqual([]);
  });
});
