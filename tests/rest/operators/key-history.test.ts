import { execFileSync } from 'node:child_process';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  HistoryCheck,
  HistoryError,
  type CheckedHistory,
} from '../../../src/core/operators/keys/history/history-check.js';
import { keyRingMissing } from '../../support/key-ring.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import type { TestService } from '../../support/service.js';
import { errorCode, signInAs, startAdminService } from './admin-kit.js';

const [K1, K2] = [makeTestKey('k1'), makeTestKey('k2')];
const DAY_MS = 86_400_000;

/** As anybody would who has the file and the notary's public key. */
const VERIFY = `
import json, sys
from signedjson.key import decode_verify_key_bytes
from signedjson.sign import verify_signed_json
from unpaddedbase64 import decode_base64
end = json.load(sys.stdin)
said = end["vidimus_key_history"]
for key_id, key in said["keys"].items():
    verify_signed_json(end, said["notary"], decode_verify_key_bytes(key_id, decode_base64(key)))
`;

describe('the export of the history of a server', () => {
  let service: TestService;
  let remote: RemoteServer;
  let authority: Awaited<ReturnType<typeof createTestAuthority>>;
  let text: string;

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startAdminService({ caPaths: [authority.caPath] });
    const validUntilTs = service.clock.now() + DAY_MS;
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs });
    const { keys } = service.context.services.operators;
    await keys.refresh(remote.serverName);
    remote.publish({ keys: [K2], oldKeys: [{ key: K1, expiredTs: service.clock.now() }] });
    service.clock.advance(1000);
    await keys.refresh(remote.serverName);
    text = await (await load(remote.serverName, await signInAs(service, 'operator'))).text();
  });
  afterAll(async () => {
    await service.remove();
    await remote.origin.close();
    await authority.remove();
  });
  const load = (server: string, cookie?: string) =>
    fetch(`${service.url}/admin/api/keys/export?server=${encodeURIComponent(server)}`, {
      headers: cookie === undefined ? {} : { cookie },
    });
  const check = (file: string): CheckedHistory | string => {
    const checked = new HistoryCheck();
    try {
      for (const line of file.replace(/\n$/, '').split('\n')) checked.add(Buffer.from(line));
      return checked.end();
    } catch (error) {
      if (error instanceof HistoryError) return `${error.line}: ${error.message}`;
      throw error;
    }
  };
  const lines = () => text.trimEnd().split('\n');
  /** The file with some lines in place of others. */
  const spliced = (from: number, count: number, ...other: string[]) =>
    lines()
      .toSpliced(from, count, ...other)
      .join('\n');

  it('is for operators, a download, and in the audit table', async () => {
    expect((await load(remote.serverName)).status).toBe(401);
    const viewer = await load(remote.serverName, await signInAs(service, 'viewer'));
    expect([viewer.status, await errorCode(viewer)]).toEqual([403, 'FORBIDDEN']);
    const cookie = await signInAs(service, 'operator');
    const answer = await load(remote.serverName, cookie);
    expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const fileName = `${remote.serverName.replace(':', '_')}.history.jsonl`;
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${fileName}"`);
    const { client } = service.context.services.operators.database;
    const [entry] = await client.auditEvent.findMany({
      where: { action: 'exportKeyHistory' },
      orderBy: { id: 'desc' },
    });
    expect(entry).toMatchObject({ role: 'operator', targetId: remote.serverName });
    expect((await load('never.example', cookie)).status).toBe(404);
    expect((await load('no name', cookie)).status).toBe(400);
  });

  it('holds every record, which was the newest since when, and every event, and is right', () => {
    const types = lines().map((line) => (JSON.parse(line) as { type: string }).type);
    const events = ['event', 'event', 'event', 'event'];
    expect(types).toEqual(['history', 'record', 'record', 'newest', 'newest', ...events, 'end']);
    const [signer] = service.context.services.operators.keys.own.keys;
    expect(check(text)).toEqual({
      serverName: remote.serverName,
      notary: 'notary.test',
      exportedTs: service.clock.now(),
      counts: { record: 2, newest: 2, event: 4 },
      signers: [{ keyId: signer?.keyId, publicKey: signer?.publicKeyBase64 }],
    });
  });

  it.skipIf(keyRingMissing() !== null)('is signed as python3-signedjson checks it', () => {
    const run = (end: string) =>
      execFileSync('/usr/bin/python3', ['-B', '-c', VERIFY], { input: end, stdio: 'pipe' });
    const end = lines().at(-1) ?? '';
    expect(() => run(end)).not.toThrow();
    expect(() => run(end.replace('"event":4', '"event":5'))).toThrow('Unable to verify signature');
  });

  it('proves nothing when anything of it was changed, and the line is named', () => {
    const [head = '', first = '', second = '', newest = '', , event = ''] = lines();
    const end = lines().at(-1) ?? '';
    const other = makeTestKey('k1').publicKey;
    expect(check(spliced(1, 1, first.replaceAll(K1.publicKey, other)))).toMatch(
      /^2: the record is not one of 127/,
    );
    expect(check(spliced(1, 1, first.replace(/"sha256":"../, '"sha256":"zz')))).toMatch(/^2: sha256 is not/);
    expect(check(spliced(1, 2, second, first))).toMatch(/^3: it is not in order: 1 follows 2/);
    expect(check(spliced(1, 1))).toMatch(/^9: there are 1 lines of type record/);
    expect(check(spliced(3, 0, event))).toMatch(/^5: a line of type newest stands too late/);
    expect(check(spliced(3, 1, newest.replace('"record":1', '"record":7')))).toMatch(/^4: it names record 7/);
    expect(check(spliced(5, 1, event.replace('"severity":"info"', '"severity":"none"')))).toMatch(
      /^10: the lines before/,
    );
    expect(check(spliced(0, 1, head.replace('notary.test', 'other.test')))).toMatch(/^10: notary is another/);
    expect(check(spliced(9, 1, end.replace('"event":4', '"event":5')))).toMatch(
      /^10: there are 4 lines of type event/,
    );
    const signature = /"ed25519:[^"]+":"([^"]{86})"/.exec(end)?.[1] ?? '';
    expect(check(spliced(9, 1, end.replace(signature, `AAAA${signature.slice(4)}`)))).toMatch(
      /^10: the notary's sig/,
    );
    expect(check(spliced(9, 1))).toBe('10: the file is cut off: it has no last line');
    expect(check(`${text}{}`)).toBe('11: something follows the last line');
    expect(check(spliced(4, 1, '{"type"'))).toMatch(/^5: it is no JSON/);
    expect(check(spliced(4, 1, '{"type":"other"}'))).toMatch(/^5: its type is none/);
    expect(check('{"type":"log"}')).toMatch(/^1: this is no exported history/);
    expect(check('')).toMatch(/^1: /);
  });
});
