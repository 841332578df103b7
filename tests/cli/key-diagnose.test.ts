import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../support/origins/dns-server.js';
import { respondJson } from '../support/origins/key-origin.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { createTestDatabase, type TestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

const VALID_UNTIL_TS = 4_102_444_800_000;

interface Report {
  ok: boolean;
  reason: string | null;
  steps: { name: string; status: string; advice: string | null }[];
  published: Record<string, unknown> | null;
  resolved_to: string[];
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let authority: TestAuthority;
let remote: RemoteServer;
let store: TestDatabase;

beforeAll(async () => {
  folder = await temporaryFolder();
  authority = await createTestAuthority();
  remote = await startRemoteServer(authority, { validUntilTs: VALID_UNTIL_TS });
  store = await createTestDatabase('sqlite');
  await writeConfig(folder.path, {
    database: store.options,
    federation_custom_ca_list: [authority.caPath],
    ip_range_whitelist: ['127.0.0.0/8'],
  });
});
afterAll(async () => {
  await remote.origin.close();
  await authority.remove();
  await store.cleanup();
  await folder.remove();
});
const key = (...args: string[]) => runHere(['key', ...args, '-c', 'config.yaml'], { cwd: folder.path });

describe('vidimus key diagnose', () => {
  it('marks every step of a healthy server, exit code 0', async () => {
    remote.publish({});

    const { code, stdout } = await key('diagnose', remote.serverName, remote.key.keyId);

    expect(stdout).toMatch(/\n {2}OK {2}Certificate +\d+ ms {2}TLSv1\.3/);
    expect(stdout).toMatch(/\n {2}OK {2}Wanted key +\d+ ms {2}"ed25519:k1" is in use\./);
    expect(stdout).not.toContain('!!');
    expect(stdout).toMatch(/The keys can be fetched\.\n$/);
    expect(code).toBe(0);
  });

  it('gives advice where it fails: exit code 3 when nobody answers, else 1', async () => {
    remote.origin.respond = respondJson(JSON.stringify({ server_name: '\u001b]0;owned\u0007' }));

    const dead = await key('diagnose', `127.0.0.1:${await freePort()}`);
    const wrong = await key('diagnose', remote.serverName);

    expect([dead.code, wrong.code]).toEqual([3, 1]);
    expect(dead.stdout).toMatch(
      /\n {2}!! {2}Connection .+ECONNREFUSED.+\n +> Nothing listens at that address/,
    );
    expect(wrong.stdout).toMatch(/\n {2}!! {2}Key record .+\n +> Another server answered under this name/);
    expect(wrong.stdout).not.toContain('\u001b');
  });

  it('prints JSON with a record that was refused', async () => {
    remote.origin.respond = respondJson('{"server_name":"x.example","big":9007199254740993}');

    const { code, stdout } = await key('diagnose', remote.serverName, '--json');

    expect(code).toBe(1);
    expect(stdout).toContain('"big": 9007199254740993');
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({
      ok: false,
      reason: 'record_name_mismatch',
      published: { server_name: 'x.example' },
    });
    expect(report.resolved_to).toEqual([remote.serverName, '127.0.0.1']);
    expect(report.steps.at(-1)).toMatchObject({ name: 'record', status: 'failed' });
  });

  it('says which rule a bad name breaks', async () => {
    const { code, stdout } = await key('diagnose', 'https://example.org/');

    expect(stdout).toContain('leave out the scheme');
    expect(code).toBe(1);
  });
});

describe('vidimus key refresh and delete', () => {
  it('store and remove what operators want', async () => {
    remote.publish({});

    const line = ['key', 'refresh', remote.serverName, '--json', '-c', 'config.yaml'];
    const refreshed = await vidimus(line, { cwd: folder.path });
    const none = await key('delete', remote.serverName, 'ed25519:none');
    const wouldGo = await key('delete', remote.serverName, '--dry-run', '--json');
    const other = await key('delete', remote.serverName, '--count', '2');
    const deleted = await key('delete', remote.serverName, '--json');
    const again = await key('delete', remote.serverName);

    expect(refreshed).toMatchObject({ code: 0, stderr: '' });
    expect([none.code, deleted.code, again.code]).toEqual([1, 0, 1]);
    expect(JSON.parse(refreshed.stdout)).toMatchObject({ outcome: 'ok', reason: null });
    const named = { records: 1, key_ids: [remote.key.keyId] };
    expect(JSON.parse(wouldGo.stdout)).toMatchObject({ ...named, deleted: false });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('1 record would go, not 2.') });
    expect(JSON.parse(deleted.stdout)).toMatchObject({ ...named, deleted: true });
    expect(again.stderr).toContain('No such key is stored.');
  });

  it('ends with exit code 3 when a refresh reaches nobody, and 1 when it may not ask', async () => {
    const dead = await key('refresh', `127.0.0.1:${await freePort()}`);
    const alone = await runHere(['key', 'refresh', remote.serverName, '-c', 'config.yaml'], {
      cwd: folder.path,
      env: { VIDIMUS__FEDERATION_DOMAIN_WHITELIST: '[a.example]' },
    });

    expect([dead.code, alone.code]).toEqual([3, 1]);
    expect(dead.stderr).toContain('vidimus key diagnose');
    expect(alone.stderr).toContain('federation_domain_whitelist (VIDIMUS__FEDERATION_DOMAIN_WHITELIST)');
  });
});
