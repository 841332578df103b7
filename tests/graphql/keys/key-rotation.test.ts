import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { getKeys } from '../../support/clients/notary-client.js';
import { startTestService, type TestService } from '../../support/service.js';
import { OperationRunner } from '../run-operation.js';

const ROTATION = `fragment Rotation on KeyRotation { oldKeyId newKeyId safeAt obstacle problem
  step advice peerSnippets { software text } oldSigningKeys }`;
const VIEW = `{ keyRotation { ...Rotation } signingKeys { keyId active } } ${ROTATION}`;
const BEGIN = `mutation Begin($version: String) { beginKeyRotation(version: $version) {
  userErrors { code message } rotation { ...Rotation } } } ${ROTATION}`;
const RETIRE = `mutation Retire($keyId: String!) { retireSigningKey(keyId: $keyId) {
  userErrors { code message } rotation { ...Rotation } } } ${ROTATION}`;
const DAY_MS = 86_400_000;

describe('replacing our signing key', () => {
  let folder: string;
  let service: TestService;
  let first: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-rotation-'));
    service = await startTestService({ settings: { signing_key_path: join(folder, 'signing.key') } });
    first = (await published()).active[0] ?? '';
  });
  afterAll(async () => {
    await service.remove();
    await rm(folder, { recursive: true });
  });

  const run = (text: string, variables: object = {}, role: 'viewer' | 'operator' | 'admin' = 'admin') =>
    new OperationRunner(service.context.services.operators).run(
      text,
      variables as Record<string, unknown>,
      role,
    );
  const now = async () => (await run(VIEW, {}, 'viewer')).data.keyRotation.step as string;
  const published = async () => {
    const { text } = await getKeys(service.url, 'server');
    const { verify_keys: active, old_verify_keys: old } = JSON.parse(text) as Record<string, object>;
    return { active: Object.keys(active ?? {}).toSorted(), old: Object.keys(old ?? {}) };
  };
  const audited = async () => {
    const { client } = service.context.parts.database;
    const rows = await client.auditEvent.findMany({
      where: { targetType: 'SigningKey', outcome: 'ok' },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ action, targetId, outcome, actor }) => `${actor}: ${action} ${targetId} ${outcome}`);
  };
  const restart = async () => {
    service = await service.restart();
  };
  const lines = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim().split('\n');

  it('adds a key that signs after the next start; lines for peers name both at once', async () => {
    expect(await now()).toBe('MAKE');
    expect((await run(BEGIN, {}, 'operator')).errors).toMatchObject([{ code: 'FORBIDDEN' }]);
    const { beginKeyRotation: begun } = (await run(BEGIN, { version: 'b' })).data;

    expect(begun.userErrors).toEqual([]);
    expect(begun.rotation).toMatchObject({ oldKeyId: first, newKeyId: 'ed25519:b', problem: null });
    for (const { text } of begun.rotation.peerSnippets.slice(0, 2))
      expect(text).toMatch(new RegExp(`"${first}".*"ed25519:b"`, 's'));
    expect(await now()).toBe('PUBLISH');
    expect(await published()).toEqual({ active: [first], old: [] });
    const again = (await run(BEGIN)).data.beginKeyRotation.userErrors;
    expect(again).toMatchObject([{ code: 'CONFLICT' }]);
    expect((await run(RETIRE, { keyId: first })).data.retireSigningKey.userErrors).toMatchObject([
      { code: 'CONFLICT' },
    ]);
    expect((await stat(join(folder, 'signing.key'))).mode & 0o777).toBe(0o600);
    expect(await lines('signing.key')).toHaveLength(2);
  });

  it('lets nobody retire the old key before the record that peers hold without the new one has ended', async () => {
    service.clock.advance(DAY_MS / 4);
    await restart();
    expect((await published()).active).toEqual([first, 'ed25519:b'].toSorted());
    const { keyRotation } = (await run(VIEW)).data;
    // The record before was made when the service first started, and is valid for a day.
    expect(Date.parse(keyRotation.safeAt)).toBe(service.clock.now() + (DAY_MS * 3) / 4);
    expect(await now()).toBe('WAIT');
    expect(keyRotation.peerSnippets[0].text).toMatch(/ed25519:b.*\n/);

    const early = (await run(RETIRE, { keyId: first })).data.retireSigningKey.userErrors;
    expect(early).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('Wait until then') }]);
    service.clock.advance((DAY_MS * 3) / 4 - 1);
    expect(await now()).toBe('WAIT');
    service.clock.advance(1);
    expect(await now()).toBe('RETIRE');
    expect((await run(RETIRE, { keyId: 'ed25519:b' })).data.retireSigningKey.userErrors).toMatchObject([
      { code: 'CONFLICT' },
    ]);
  });

  it('moves the old key to a file of its own, and the next start publishes it as old', async () => {
    const seeds = await lines('signing.key');
    expect((await run(RETIRE, { keyId: first })).data.retireSigningKey.userErrors).toEqual([]);
    expect(await now()).toBe('DROP');
    const aside = `signing.key.retired-${first.replace('ed25519:', '')}`;
    const files = (await readdir(folder)).filter((name) => name.startsWith('signing'));
    expect(files.toSorted()).toEqual(['signing.key', aside].toSorted());
    expect([...(await lines(aside)), ...(await lines('signing.key'))]).toEqual(seeds);
    for (const name of ['signing.key', aside])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await published()).active).toHaveLength(2);

    await restart();
    expect(await published()).toEqual({ active: ['ed25519:b'], old: [first] });
    expect(await now()).toBe('FORGET');
    service.clock.advance(DAY_MS);
    expect(await now()).toBe('MAKE');
  });

  it('is in audit step by step, whoever changed the keys', async () => {
    expect(await audited()).toEqual([
      `start of the server: changeSigningKeys ${first} ok`,
      expect.stringMatching(/: beginKeyRotation ed25519:b ok$/),
      'start of the server: changeSigningKeys ed25519:b ok',
      expect.stringMatching(`: retireSigningKey ${first} ok$`),
      `start of the server: changeSigningKeys ${first} ok`,
    ]);
  });
});
