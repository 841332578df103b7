import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { getKeys, isSignedBy, postKey, type AnsweredRecord } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const HOUR_MS = 3_600_000;
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** A signing key with its line in the key file. */
const ownKey = (version: string, fill: number) => {
  const seed = Buffer.alloc(32, fill);
  return {
    ...makeTestKey(version, seed),
    line: `ed25519 ${version} ${seed.toString('base64').replace('=', '')}\n`,
  };
};
const A = ownKey('a', 1);
const B = ownKey('b', 2);
const C = ownKey('c', 3);

describe.each(testEngines())('our own keys, on %s', (engine) => {
  const authority = setUp(createTestAuthority);
  let remote: RemoteServer;
  let service: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vidimus-keys-'));
    remote = await startRemoteServer(authority, { validUntilTs: 1_800_000_000_000 + 1000 * HOUR_MS });
  });
  afterEach(() => service.remove());
  afterAll(async () => {
    await remote.origin.close();
    await rm(folder, { recursive: true });
  });

  const path = () => join(folder, 'signing.key');
  const writeKeys = (...keys: { line: string }[]) =>
    writeFile(path(), keys.map((key) => key.line).join(''), { mode: 0o600 });
  const start = async (settings: Record<string, unknown> = {}) => {
    const caPaths = [authority.caPath];
    service = await startTestService({
      engine,
      caPaths,
      settings: { signing_key_path: path(), ...settings },
    });
  };
  const restart = async (settings: Record<string, unknown> = {}) => {
    service = await service.restart(settings);
  };
  const own = async () => {
    const { text } = await getKeys(service.url, 'server');
    return { text, record: JSON.parse(text) as AnsweredRecord };
  };

  it('are published as canonical bytes that every active key, and nobody else, has signed', async () => {
    await writeKeys(A, B);
    await start();
    const { text, record } = await own();
    const signatures = /"signatures":\{"notary\.test":\{("ed25519:[ab]":"[\w+/]{86}",?){2}\}\},/.exec(
      text,
    )?.[0];
    const signed = Buffer.from(text.replace(signatures ?? 'none', ''));
    for (const key of [A, B]) {
      const signature = Buffer.from(record.signatures[OWN_NAME]?.[key.keyId] ?? '', 'base64');
      const spki = Buffer.concat([SPKI_HEAD, Buffer.from(key.publicKey, 'base64')]);
      expect(
        verify(null, signed, createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature),
      ).toBe(true);
    }
    expect(Object.keys(record.signatures)).toEqual([OWN_NAME]);
    expect(record.verify_keys).toEqual({ [A.keyId]: { key: A.publicKey }, [B.keyId]: { key: B.publicKey } });
    expect(record.old_verify_keys).toEqual({});
    expect(record.valid_until_ts).toBe(service.clock.now() + 24 * HOUR_MS);
  });

  it('give every answer one signature each, over the same bytes', async () => {
    await writeKeys(A, B);
    await start();
    const [record] = (await postKey(service.url, remote.serverName)).records;
    expect([A, B].map((key) => isSignedBy(record!, OWN_NAME, key))).toEqual([true, true]);
    expect(isSignedBy(record!, remote.serverName, remote.key)).toBe(true);
  });

  it('keep their record to the byte until half of its life has passed, over restarts, then renew it', async () => {
    await writeKeys(A);
    await start();
    const { text, record } = await own();
    service.clock.advance(12 * HOUR_MS);
    await restart();
    expect((await own()).text).toBe(text);
    service.clock.advance(1);
    const renewed = await own();
    expect(renewed.record.valid_until_ts).toBe(record.valid_until_ts + 12 * HOUR_MS);
    await restart();
    expect((await own()).text).toBe(renewed.text);
  });

  it('move to old_verify_keys with the time they were gone; answers are signed anew', async () => {
    await writeKeys(A);
    await start();
    const before = await postKey(service.url, remote.serverName);
    service.clock.advance(HOUR_MS);
    await service.stop();
    await writeKeys(B);
    await restart();
    const retiredTs = service.clock.now();
    const { record } = await own();
    expect(Object.keys(record.verify_keys)).toEqual([B.keyId]);
    expect(record.old_verify_keys).toEqual({ [A.keyId]: { key: A.publicKey, expired_ts: retiredTs } });
    expect(Object.keys(record.signatures[OWN_NAME] ?? {})).toEqual([B.keyId]);
    expect((await postKey(service.url, OWN_NAME, A.keyId)).records).toHaveLength(1);

    const after = (await postKey(service.url, remote.serverName)).records[0];
    expect(before.records[0]?.signatures[remote.serverName]).toEqual(after?.signatures[remote.serverName]);
    expect(Object.keys(after?.signatures[OWN_NAME] ?? {})).toEqual([B.keyId]);
    expect(isSignedBy(after!, OWN_NAME, B)).toBe(true);

    service.clock.advance(HOUR_MS);
    await restart();
    expect((await own()).record.old_verify_keys).toEqual(record.old_verify_keys);
  });

  it('of a former installation are published as old from old_signing_keys, with the time given', async () => {
    await writeKeys(A);
    await start({ old_signing_keys: { [C.keyId]: { key: C.publicKey, expired_ts: 12_345 } } });
    const { record } = await own();
    expect(record.old_verify_keys).toEqual({ [C.keyId]: { key: C.publicKey, expired_ts: 12_345 } });
    expect(Object.keys(record.verify_keys)).toEqual([A.keyId]);
    await restart({ old_signing_keys: {} });
    expect((await own()).record.old_verify_keys).toEqual(record.old_verify_keys);
  });

  it('never stand as current and old at once: old_signing_keys that name an active key stop the start', async () => {
    await writeKeys(A);
    await start();
    const old_signing_keys = { [A.keyId]: { key: A.publicKey, expired_ts: 1 } };
    await expect(service.restart({ old_signing_keys })).rejects.toThrow(/ed25519:a is both/);
  });

  it('never change under their id: another key of the same version stops the start', async () => {
    await writeKeys(A);
    await start();
    await service.stop();
    await writeKeys(ownKey('a', 9));
    await expect(service.restart()).rejects.toThrow(/ed25519:a is a different key than before/);
  });

  it('for answers may be some of them: they sign what is queried, and our record lists all', async () => {
    await writeKeys(A, C);
    const notaryPath = join(folder, 'notary.key');
    await writeFile(notaryPath, C.line, { mode: 0o600 });
    await start({ key_server_signing_keys_path: notaryPath });
    const [record] = (await postKey(service.url, remote.serverName)).records;
    expect(Object.keys(record?.signatures[OWN_NAME] ?? {})).toEqual([C.keyId]);
    expect(isSignedBy(record!, OWN_NAME, C)).toBe(true);
    expect(Object.keys((await own()).record.verify_keys)).toEqual([A.keyId, C.keyId]);
    const [queried] = (await getKeys(service.url, `query/${OWN_NAME}`)).records;
    expect([A, C].map((key) => isSignedBy(queried!, OWN_NAME, key))).toEqual([true, true]);
  });
});
