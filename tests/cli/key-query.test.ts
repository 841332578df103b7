import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

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
} from '../support/origins/remote-server.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';
import { setUp } from '../support/set-up.js';

const VALID_UNTIL_TS = 4_102_444_800_000;
const KEY = makeTestKey('k1');

const folder = setUp(temporaryFolder);
const authority = setUp(createTestAuthority);
let remote: RemoteServer;

beforeAll(async () => {
  remote = await startRemoteServer(authority, { validUntilTs: VALID_UNTIL_TS, keys: [KEY] });
  await writeConfig(folder.path, {
    federation_custom_ca_list: [authority.caPath],
    ip_range_whitelist: ['127.0.0.0/8'],
  });
});
afterAll(() => remote.origin.close());

const lineOf = (...args: string[]) => ['key', 'query', '-c', 'config.yaml', ...args];
const query = (...args: string[]) => runHere(lineOf(...args), { cwd: folder.path });
const publish = (change: (record: Record<string, unknown>) => void) => {
  const record = makeKeyRecordObject({
    serverName: remote.serverName,
    keys: [KEY],
    validUntilTs: VALID_UNTIL_TS,
  });
  change(record);
  remote.origin.respond = respondJson(simpleCanonicalJson(record));
};

it('prints every step and the record, and makes neither key nor database', async () => {
  publish(() => undefined);

  const { code, stdout } = await vidimus(lineOf(remote.serverName), { cwd: folder.path });

  expect(stdout).toMatch(/^ok +Certificate \(\d+ ms\): /m);
  expect(stdout).toMatch(/^ok +Key record /m);
  expect(stdout).toContain(`"key": "${KEY.publicKey}"`);
  expect(code).toBe(0);
  expect(existsSync(join(folder.path, 'data'))).toBe(false);
});

it('prints why a record is refused, as JSON too, exit code 1', async () => {
  publish((record) => {
    record['valid_until_ts'] = VALID_UNTIL_TS + 1;
  });

  const [text, json] = [await query(remote.serverName), await query(remote.serverName, '--json')];

  expect(text.stdout).toMatch(/^failed +Key record .*\n {9}\S/m);
  expect(JSON.parse(json.stdout)).toMatchObject({
    serverName: remote.serverName,
    ok: false,
    reason: 'record_bad_signature',
    published: { valid_until_ts: VALID_UNTIL_TS + 1 },
  });
  expect([text.code, json.code]).toEqual([1, 1]);
});

it('shows escape sequences in foreign names instead of sending them to the terminal', async () => {
  publish((record) => {
    record['a\u001b]0;owned\u0007\u009b2J\u202e'] = 1;
  });

  for (const { stdout } of [await query(remote.serverName), await query(remote.serverName, '--json')]) {
    for (const character of ['\u001b', '\u0007', '\u009b', '\u202e']) expect(stdout).not.toContain(character);
    expect(stdout).toContain(String.raw`a\u001b]0;owned\u0007\u009b2J\u202e`);
  }
});

it('keeps to the address rules and the whitelist of the configuration, exit code 1', async () => {
  const strict = { cwd: folder.path, env: { VIDIMUS__IP_RANGE_WHITELIST: '[]' } };
  const alone = { cwd: folder.path, env: { VIDIMUS__FEDERATION_DOMAIN_WHITELIST: '[a.example]' } };
  const line = lineOf('--json', remote.serverName);

  const [blocked, unlisted] = [await runHere(line, strict), await runHere(line, alone)];

  expect([blocked.code, unlisted.code]).toEqual([1, 1]);
  expect(JSON.parse(blocked.stdout)).toMatchObject({ reason: 'address_blocked' });
  expect(JSON.parse(unlisted.stdout)).toMatchObject({ reason: 'not_whitelisted' });
});
