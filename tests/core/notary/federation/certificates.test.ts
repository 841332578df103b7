import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import {
  respondJson,
  startKeyOrigin,
  type KeyOrigin,
  type KeyOriginOptions,
} from '../../../support/origins/key-origin.js';
import {
  createSelfSigned,
  createTestCa,
  type TestCa,
  type TestCertificate,
} from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome } from './federation-setup.js';

const HOSTS = {
  'name.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'one.sub.example': ['127.0.0.1'],
  'two.one.sub.example': ['127.0.0.1'],
};

let ca: TestCa;
let otherCa: TestCa;
const origins: KeyOrigin[] = [];

async function origin(
  certificate: TestCertificate,
  options: Partial<KeyOriginOptions> = {},
): Promise<KeyOrigin> {
  const started = await startKeyOrigin({ certificate, respond: respondJson('{}'), ...options });
  origins.push(started);
  return started;
}

const client = () => createTestClient({ caPem: ca.caPem, hosts: HOSTS }).client;

beforeAll(async () => {
  ca = await createTestCa();
  otherCa = await createTestCa('Some other authority');
});
afterEach(async () => {
  await Promise.all(origins.splice(0).map((started) => started.close()));
});

describe('certificates that are refused, each with its own reason', () => {
  it.each<[string, () => Promise<TestCertificate>, string]>([
    ['expired', () => ca.expired(['name.example']), 'tls_expired'],
    ['not yet valid', () => ca.notYetValid(['name.example']), 'tls_not_yet_valid'],
    ['self-signed', () => createSelfSigned(['name.example']), 'tls_self_signed'],
    ['of another authority', () => otherCa.leaf({ names: ['name.example'] }), 'tls_unknown_ca'],
    ['for another name', () => ca.leaf({ names: ['other.example'] }), 'tls_wrong_name'],
    [
      'with the name only as common name',
      () => ca.leaf({ names: [], commonName: 'name.example' }),
      'tls_wrong_name',
    ],
  ])('%s', async (_kind, certificate, reason) => {
    const server = await origin(await certificate());
    const { error, steps } = await fetchOutcome(client(), `name.example:${server.port}`);
    expect(error).toMatchObject({ status: 502, message: 'TLS failure', reason });
    expect(server.hits).toEqual([]);
    expect(steps.at(-1)).toMatchObject({ name: 'tls', status: 'failed', detail: { reason } });
  });

  it('refuses a wildcard that would have to span two labels, and accepts one label', async () => {
    const server = await origin(await ca.leaf({ names: ['*.sub.example'] }));
    expect((await fetchOutcome(client(), `two.one.sub.example:${server.port}`)).error?.reason).toBe(
      'tls_wrong_name',
    );
    expect((await fetchOutcome(client(), `one.sub.example:${server.port}`)).error).toBeNull();
  });

  it('refuses a server that speaks only an older TLS than demanded', async () => {
    const server = await origin(await ca.leaf({ names: ['name.example'] }), { maxTlsVersion: 'TLSv1.1' });
    expect((await fetchOutcome(client(), `name.example:${server.port}`)).error?.reason).toBe('tls_failure');
  });
});

describe('resumption', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'never carries the verdict over to another name (%s)',
    async (maxTlsVersion) => {
      const server = await origin(await ca.leaf({ names: ['name.example'] }), { maxTlsVersion });
      const same = client();
      for (let round = 0; round < 3; round += 1) {
        expect((await fetchOutcome(same, `name.example:${server.port}`)).error).toBeNull();
        expect((await fetchOutcome(same, `other.example:${server.port}`)).error?.reason).toBe(
          'tls_wrong_name',
        );
        expect((await fetchOutcome(same, server.serverName)).error?.reason).toBe('tls_wrong_name');
      }
      expect(server.hits).toHaveLength(3);
      expect(server.hits.every(({ isSessionReused }) => !isSessionReused)).toBe(true);
    },
  );
});
