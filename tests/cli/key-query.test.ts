import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { respondJson } from '../support/origins/key-origin.js';
import {
  makeKeyRecordObject,
  makeTestKey,
  simpleCanonicalJson,
} from '../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

const VALID_UNTIL_TS = 4_102_444_800_000;

describe('vidimus key query', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let authority: TestAuthority;
  let remote: RemoteServer;
  const [key, second] = [makeTestKey('k1'), makeTestKey('k2')];

  beforeAll(async () => {
    folder = await temporaryFolder();
    authority = await createTestAuthority();
    remote = await startRemoteServer(authority, { validUntilTs: VALID_UNTIL_TS, keys: [key, second] });
    await writeConfig(folder.path, {
      federation_custom_ca_list: [authority.caPath],
      ip_range_whitelist: ['127.0.0.0/8'],
    });
  });
  afterAll(async () => {
    await remote.origin.close();
    await authority.remove();
    await folder.remove();
  });
  const lineOf = (...args: string[]) => ['key', 'query', '-c', 'config.yaml', ...args];
  const query = (...args: string[]) => runHere(lineOf(...args), { cwd: folder.path });
  const publish = (change: (record: Record<string, unknown>) => void, extra = {}) => {
    const { serverName } = remote;
    const options = { serverName, keys: [key, second], validUntilTs: VALID_UNTIL_TS, extra };
    const record = makeKeyRecordObject(options);
    change(record);
    remote.origin.respond = respondJson(simpleCanonicalJson(record));
  };

  it('prints the record and which signatures verify, and makes neither key nor database', async () => {
    publish((record) => {
      const signatures = record['signatures'] as Record<string, Record<string, string>>;
      signatures['other.example'] = { 'ed25519:x': 'AAAA' };
    });

    const { code, stdout } = await vidimus(lineOf(remote.serverName), { cwd: folder.path });

    expect(stdout).toMatch(new RegExp(`^${remote.serverName}  verified\n`));
    expect(stdout).toContain(`key          ed25519:k1  ${key.publicKey}`);
    expect(stdout).toContain(`valid until  2100-01-01 00:00:00Z`);
    expect(stdout).toMatch(/\n {2}valid +127\.0\.0\.1:\d+ {2}ed25519:k1\n/);
    expect(stdout).toMatch(/\n {2}unknown key +other\.example {2}ed25519:x\n/);
    expect(code).toBe(0);
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  it('prints JSON with exact integers and the steps', async () => {
    publish(() => {}, { big: 9_007_199_254_740_993n });

    const { code, stdout } = await query(remote.serverName, 'ed25519:k2', '--json');

    expect(code).toBe(0);
    expect(stdout).toContain('"big": 9007199254740993');
    const report = JSON.parse(stdout) as Record<string, unknown> & { steps: { name: string }[] };
    expect(report).toMatchObject({
      serverName: remote.serverName,
      outcome: 'verified',
      unmet: null,
      reason: null,
      validUntilTs: VALID_UNTIL_TS,
      signatures: [
        { signer: remote.serverName, keyId: 'ed25519:k1', status: 'valid' },
        { signer: remote.serverName, keyId: 'ed25519:k2', status: 'valid' },
      ],
    });
    expect(report.steps.map(({ name }) => name)).toEqual(expect.arrayContaining(['name', 'tls', 'record']));
  });

  it('tells a wrong signature from a right one when the record is refused, exit code 1', async () => {
    publish((record) => {
      const own = (record['signatures'] as Record<string, Record<string, string>>)[remote.serverName] ?? {};
      own['ed25519:k2'] = own['ed25519:k1'] ?? '';
    });

    const { code, stdout } = await query(remote.serverName, '--trace');

    expect(stdout).toMatch(/ refused\n/);
    expect(stdout).toMatch(/reason +record_bad_signature/);
    expect(stdout).toMatch(/\n {2}valid +\S+ {2}ed25519:k1\n {2}invalid +\S+ {2}ed25519:k2\n/);
    expect(stdout).toMatch(/\n {2}record +failed +\d+ ms {2}/);
    expect(code).toBe(1);
  });

  it.each([
    ['svc', 'matrix'],
    ['matrix', 'svc'],
  ])('asked in the dialect %s where there is no record, hints at %s', async (dialect, other) => {
    const place = { cwd: folder.path, env: { VIDIMUS__DIALECT: dialect } };

    const { stdout } = await runHere(['key', 'query', '-c', 'config.yaml', '127.0.0.1:1'], place);

    expect(stdout).toContain(`Asked in the dialect ${dialect}. `);
    expect(stdout).toContain(`VIDIMUS__DIALECT=${other}`);
  });

  it('shows escape sequences in foreign names instead of sending them to the terminal', async () => {
    const name = 'a\u001b]0;owned\u0007\u009b2J\u202e\ud83d\ude00';
    publish((record) => {
      (record['signatures'] as Record<string, unknown>)[name] = { [`ed25519:${name}`]: 'AAAA' };
    });

    const [text, json] = [await query(remote.serverName), await query(remote.serverName, '--json')];

    for (const character of ['\u001b', '\u0007', '\u009b', '\u202e']) {
      expect(text.stdout).not.toContain(character);
      expect(json.stdout).not.toContain(character);
    }
    expect(text.stdout).toContain('a\\u001b]0;owned\\u0007\\u009b2J\\u202e\ud83d\ude00');
    const { signatures } = JSON.parse(json.stdout) as { signatures: { signer: string }[] };
    expect(signatures.map(({ signer }) => signer)).toContain(name);
  });

  it('fails when the record does not list the key or ends too early, exit code 1', async () => {
    publish(() => {});

    const missing = await query(remote.serverName, 'ed25519:k9', '--json');
    const short = await query(
      remote.serverName,
      '--minimum-valid-until-ts',
      String(VALID_UNTIL_TS + 1),
      '--json',
    );

    expect([missing.code, short.code]).toEqual([1, 1]);
    expect(JSON.parse(missing.stdout)).toMatchObject({ outcome: 'verified', unmet: 'key_id_missing' });
    expect(JSON.parse(short.stdout)).toMatchObject({ unmet: 'not_valid_long_enough' });
  });

  it('keeps to the address policy and the whitelist of the configuration, exit code 1', async () => {
    const strict = { cwd: folder.path, env: { VIDIMUS__IP_RANGE_WHITELIST: '[]' } };
    const alone = { cwd: folder.path, env: { VIDIMUS__FEDERATION_DOMAIN_WHITELIST: '[a.example]' } };
    const args = ['key', 'query', '-c', 'config.yaml', '--json', remote.serverName];

    const [blocked, unlisted] = [await runHere(args, strict), await runHere(args, alone)];

    expect([blocked.code, unlisted.code]).toEqual([1, 1]);
    expect(JSON.parse(blocked.stdout)).toMatchObject({ outcome: 'refused', reason: 'address_blocked' });
    expect(JSON.parse(unlisted.stdout)).toMatchObject({ outcome: 'refused', reason: 'not_whitelisted' });
  });

  it('ends with exit code 3 when nobody answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');

    const { code, stdout } = await query(`127.0.0.1:${port}`, '--json');

    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unreachable', reason: 'connection_refused' });
  });
});
