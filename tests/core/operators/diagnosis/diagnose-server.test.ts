import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { TimedStep } from '../../../../src/core/base/trace.js';
import { FederationWhitelist } from '../../../../src/core/notary/federation/server-name.js';
import {
  respondByPath,
  respondJson,
  respondStatus,
  startKeyOrigin,
  type KeyOrigin,
} from '../../../support/origins/key-origin.js';
import { makeKeyRecord } from '../../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../../support/origins/record-recipes.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { diagnose } from './diagnosis-setup.js';

const NOW_TS = new ManualClock().now();
const VALID_UNTIL_TS = NOW_TS + 86_400_000;

describe('a diagnosis', () => {
  let ca: TestCa;
  let origin: KeyOrigin;
  let record: Buffer;

  beforeAll(async () => {
    ca = await createTestCa();
    const certificate = await ca.leaf({ names: ['127.0.0.1', 'healthy.example', 'real.example'] });
    origin = await startKeyOrigin({ certificate, respond: respondStatus(404) });
  });
  afterAll(() => origin.close());

  const publish = (serverName: string, options = {}) => {
    record = makeKeyRecord({ serverName, keys: [K1], validUntilTs: VALID_UNTIL_TS, ...options });
    origin.respond = respondByPath({ '/_svc/key/v2/server': respondJson(record) });
  };
  const summary = (steps: readonly TimedStep[]) => steps.map(({ name, status }) => `${name} ${status}`);

  it('of a healthy server has only good steps, in order, and shows what it publishes', async () => {
    publish('healthy.example');
    const told: string[] = [];

    const report = await diagnose(ca.caPem, 'healthy.example', {
      hosts: { 'healthy.example': ['127.0.0.1'], '_svc-fed._tcp.healthy.example': [] },
      wellKnownPort: origin.port,
      defaultPort: origin.port,
      parts: {
        whitelist: new FederationWhitelist(['healthy.example'], () => 'config.yaml'),
        stored: { findHealth: async () => null, findKeys: async () => [] },
      },
      question: { keyId: K1.keyId, watch: { ended: ({ name }) => void told.push(name) } },
    });

    expect(report).toMatchObject({
      ok: true,
      reason: null,
      serverName: 'healthy.example',
      checkedTs: NOW_TS,
    });
    expect(told).toEqual(report.steps.map(({ name }) => name));
    expect(summary(report.steps)).toEqual([
      'name ok',
      'allowed ok',
      'waiting ok',
      'well-known ok',
      'srv ok',
      'srv ok',
      'address ok',
      'connect ok',
      'tls ok',
      'response ok',
      'record ok',
      'validity ok',
      'keys ok',
      'wanted ok',
      'stored ok',
    ]);
    expect(report.steps.filter(({ advice }) => advice !== undefined)).toEqual([]);
    expect(report.steps[1]?.sentence).toBe(
      'healthy.example is allowed by entry 1 of federation_domain_whitelist (config.yaml).',
    );
    expect(report.resolvedTo).toEqual([`healthy.example:${origin.port}`, '127.0.0.1']);
    expect(report.steps.find(({ name }) => name === 'tls')?.detail).toMatchObject({
      certificateNames: expect.stringContaining('DNS:healthy.example') as string,
      certificateValidToTs: expect.any(Number) as number,
    });
    expect(JSON.stringify(report.published)).toBe(record.toString());
    const times = report.steps.map(({ startedAtMs }) => startedAtMs);
    // Times are rounded, so one step may seem to begin a millisecond before the one in front of it.
    expect(times.filter((ms, index) => ms + 1 < (times[index - 1] ?? 0))).toEqual([]);
  });

  it('asks nobody who is not on the whitelist and says where that is set', async () => {
    const before = origin.connections;

    const report = await diagnose(ca.caPem, origin.serverName, {
      parts: {
        whitelist: new FederationWhitelist([], () => 'environment VIDIMUS__FEDERATION_DOMAIN_WHITELIST'),
      },
    });

    expect(report).toMatchObject({ ok: false, reason: 'not_whitelisted', published: null, resolvedTo: [] });
    expect(summary(report.steps)).toEqual(['name ok', 'allowed failed']);
    expect(report.steps[1]?.sentence).toContain('(environment VIDIMUS__FEDERATION_DOMAIN_WHITELIST)');
    expect(report.steps[1]?.advice).toContain('Add the name to federation_domain_whitelist');
    expect(origin.connections).toBe(before);
  });

  it('sends nothing for a bad name and says which rule it breaks', async () => {
    const report = await diagnose(ca.caPem, 'https://example.org');

    expect(report).toMatchObject({ ok: false, reason: 'bad_name' });
    expect(report.steps).toMatchObject([{ name: 'name', status: 'failed', title: 'Server name' }]);
    expect(report.steps[0]?.sentence).toContain('leave out the scheme');
  });

  it('shows a refused record all the same, numbers with fractions and all', async () => {
    const { serverName } = origin;
    const text = `{"server_name":"${serverName}","valid_until_ts":1.5,"<script>":"\\u202e"}`;
    origin.respond = respondJson(text);

    const report = await diagnose(ca.caPem, serverName);

    expect(report).toMatchObject({ ok: false, reason: 'json_float' });
    expect(report.published?.['valid_until_ts']).toMatchObject({ text: '1.5' });
    expect(report.published?.['<script>']).toBe('\u202e');
    expect(report.steps.at(-1)).toMatchObject({ name: 'record', status: 'failed', title: 'Key record' });
  });

  it('tells of back-off without waiting, and how the keys differ from the stored ones', async () => {
    publish(origin.serverName, { keys: [K1, K2], signWith: [K1] });
    const health = {
      firstAskedTs: 1,
      lastFetchTs: NOW_TS - 1000,
      lastOkTs: null,
      failCount: 5,
      nextTryTs: NOW_TS + 60_000,
      lastErrorReason: 'timeout_connect',
      lastErrorMessage: null,
    };
    const known = { keyId: K1.keyId, publicKey: K2.publicKey, expiredTs: null };

    const report = await diagnose(ca.caPem, origin.serverName, {
      parts: {
        stored: { findHealth: async () => health, findKeys: async () => [known] },
      },
      question: { keyId: 'ed25519:gone' },
    });

    expect(report).toMatchObject({ ok: false, reason: 'key_missing' });
    const reasons = report.steps.flatMap(({ status, detail, advice }) =>
      status === 'ok' || status === 'skipped' ? [] : [[status, detail?.['reason'], advice !== undefined]],
    );
    expect(reasons).toEqual([
      ['warning', 'backing_off', true],
      ['warning', 'record_unproven', true],
      ['failed', 'key_missing', true],
      ['warning', 'key_replaced', true],
    ]);
    expect(report.steps[2]?.sentence).toContain('5 failures in a row');
  });
});
