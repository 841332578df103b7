import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { LogKey, VerifierKey, parseNote, verifyNote, writeProof } from '../src/index.js';
import { startLogOrigin } from './support/log-origin.js';
import { LOG_KEY, OfferedLog, filesOf, makeFollowedRecord } from './support/logs.js';
import { runTlog, startTlog, temporaryFolder } from './support/run-tlog.js';

const { name, verifier, verifierKey } = LOG_KEY;

describe('tlog', () => {
  let folder: string;
  beforeEach(async () => {
    const place = await temporaryFolder();
    folder = place.path;
    return () => place.remove();
  });

  it('saves a proof from the address of a log, and checks it offline', async () => {
    const { entry } = makeFollowedRecord('a.test:8448');
    const proofOf = (bytes: Buffer) => {
      const checkpoint = filesOf([bytes]).get('checkpoint')!.toString();
      return writeProof({ index: 0, entry: bytes, hashes: [], checkpoint });
    };
    const origin = await startLogOrigin();
    origin.serve = (path) =>
      path === 'proof/a.test%3A8448/ed25519%3Ak1' ? Buffer.from(proofOf(entry)) : null;
    const prove = (...args: string[]) => runTlog(['prove', ...args, '--url', origin.url], folder);
    const path = 'a.test_8448.ed25519_k1.tlog-proof';
    expect(await prove('a.test:8448', 'ed25519:k1')).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' });
    expect(await prove('a.test:8448', 'ed25519:k2')).toMatchObject({ code: 1 });
    await origin.close();

    const check = (key: string, file = path) => runTlog(['check', file, '--key', key], folder);
    const proven = { code: 0, stdout: expect.stringContaining('and this is entry 0 of it:\n') };
    expect(await check(verifierKey)).toMatchObject(proven);
    const other = new LogKey(name, Buffer.alloc(32, 12)).verifierKey;
    const unsigned = { code: 1, stderr: expect.stringContaining('is not signed by') };
    expect(await check(other)).toMatchObject(unsigned);
    expect(await check(verifierKey, 'missing')).toMatchObject({ code: 2 });
    // An entry that followers cannot read proves nothing.
    const near = Buffer.from(entry.toString().replace('"server_first_seen"', '"first_seen"'));
    await writeFile(join(folder, 'near'), proofOf(near));
    expect(await check(verifierKey, 'near')).toMatchObject({ code: 1 });
  });

  it.each([
    [['--help'], 0, /^Follow, check and witness/],
    [['forget'], 2, /There is no command "forget"/],
    [['verify'], 2, /URL is missing/],
    [['verify', 'https://a.test', '--key', 'x'], 2, /--key wants NAME\+ID\+BASE64/],
    [['check', 'a', 'b', '--key', 'x'], 2, /"b" is one argument too many/],
    [['check', '.', '--key', verifierKey], 2, /^\. is a folder/],
    [['check', '--nonsense'], 2, /--nonsense/],
  ] as const)('%j ends with %i', async (args, code, words) => {
    const finished = await runTlog(args, folder);
    expect(finished).toMatchObject({ code });
    expect(finished.stdout + finished.stderr.replace(/^tlog: /, '')).toMatch(words);
  });

  it('as a witness creates its key, cosigns, and knows after kill -9 what it has cosigned', async () => {
    const log = new OfferedLog();
    const files = ['--key-file', 'w.key', '--state', 'state', '--listen', '127.0.0.1:0'];
    const args = ['witness', ...files, '--name', 'w.test', '--log', verifierKey];
    const start = async () => {
      const running = startTlog(args, folder);
      const [, key = '', url = ''] =
        /^verifier key +(\S+)\nlistening +(\S+)\n/.exec(await running.printed(/listening .*\n/)) ?? [];
      const add = async (from: number, size: number) => {
        const body = new Uint8Array(await log.offer(from, size));
        const response = await fetch(`${url}add-checkpoint`, { method: 'POST', body });
        return { status: response.status, text: await response.text() };
      };
      return { running, key, url, add };
    };
    const first = await start();
    expect(await readFile(join(folder, 'w.key'), 'utf8')).toMatch(/^PRIVATE\+KEY\+w\.test\+/);
    const { status, text } = await first.add(0, 300);
    const note = log.checkpoint(300) + text;
    const signatures = verifyNote(parseNote(note)!, [verifier, VerifierKey.parse(first.key)!]);
    expect([status, signatures?.length]).toEqual([200, 2]);
    const sha256 = createHash('sha256').update(name).digest('hex');
    const kept = await fetch(`${first.url}${sha256}/checkpoint`);
    expect([kept.status, await kept.text()]).toEqual([200, note]);
    first.running.child.kill('SIGKILL');
    await first.running.finished;

    const second = await start();
    expect(second.key).toBe(first.key);
    expect(await second.add(0, 600)).toEqual({ status: 409, text: '300\n' });
    const other = { code: 2, stderr: expect.stringContaining('uses this folder') };
    expect(await runTlog(args, folder)).toMatchObject(other);
    expect((await second.add(300, 600)).status).toBe(200);
    second.running.child.kill('SIGTERM');
    expect((await second.running.finished).code).toBe(0);
  });
});
