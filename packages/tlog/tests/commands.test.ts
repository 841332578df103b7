import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { VerifierKey, parseNote, verifyNote, writeProof } from '../src/index.js';
import {
  MadeLog,
  ORIGIN_KEY,
  OTHER_LOG_KEY,
  filesOf,
  makeFollowedRecord,
  startLogOrigin,
} from './support/log-origin.js';
import { runTlog, startTlog, temporaryFolder } from './support/run-tlog.js';

const { verifierKey } = ORIGIN_KEY;

describe('tlog prove and check', () => {
  it('save a proof from the address of a log, and check it offline', async () => {
    const folder = await temporaryFolder();
    const { entry } = makeFollowedRecord('a.test:8448');
    const checkpoint = filesOf([entry]).get('checkpoint')!;
    const proof = writeProof({ index: 0, entry, hashes: [], checkpoint: checkpoint.toString() });
    const origin = await startLogOrigin(new Map([['proof/a.test%3A8448/ed25519%3Ak1', Buffer.from(proof)]]));
    const prove = (...args: string[]) => runTlog(['prove', ...args, '--url', origin.url], folder.path);
    const path = 'a.test_8448.ed25519_k1.tlog-proof';
    expect(await prove('a.test:8448', 'ed25519:k1')).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' });
    expect(await prove('a.test:8448', 'ed25519:k2')).toMatchObject({ code: 1 });
    await origin.close();

    const check = (key: string, file = path) => runTlog(['check', file, '--key', key], folder.path);
    expect(await check(verifierKey)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('and this is entry 0 of it:\n'),
    });
    expect(await check(OTHER_LOG_KEY.verifierKey)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not signed by'),
    });
    expect(await check(verifierKey, 'missing')).toMatchObject({ code: 2 });
    // An entry that followers cannot read proves nothing.
    const near = Buffer.from(entry.toString().replace('"server_first_seen"', '"first_seen"'));
    const signed = filesOf([near]).get('checkpoint')!.toString();
    const text = writeProof({ index: 0, entry: near, hashes: [], checkpoint: signed });
    await writeFile(join(folder.path, 'near'), text);
    expect(await check(verifierKey, 'near')).toMatchObject({ code: 1 });
    await folder.remove();
  });
});

describe('tlog', () => {
  it.each([
    [['--help'], 0, /^Usage: tlog COMMAND/],
    [['witness', '--help'], 0, /^Usage: tlog witness/],
    [['forget'], 2, /There is no command "forget"/],
    [['verify'], 2, /URL is missing/],
    [['verify', 'https://a.test', '--key', 'x'], 2, /--key wants NAME\+ID\+BASE64/],
    [['check', 'a', 'b', '--key', 'x'], 2, /"b" is one argument too many/],
    [['verify', 'https://a.test', '--key', verifierKey, '--every', '2d'], 2, /--every wants/],
    [['check', '--nonsense'], 2, /--nonsense/],
  ] as const)('%j ends with %i', async (args, code, words) => {
    const finished = await runTlog(args, process.cwd());
    expect(finished).toMatchObject({ code });
    expect(finished.stdout + finished.stderr.replace(/^tlog: /, '')).toMatch(words);
  });
});

describe('tlog witness', () => {
  it('creates its key, cosigns, and knows after kill -9 what it has cosigned', async () => {
    const folder = await temporaryFolder();
    const start = async () => {
      const { verifierKey: log } = OTHER_LOG_KEY;
      const place = ['--key-file', 'w.key', '--state', 'state', '--listen', '127.0.0.1:0'];
      const args = ['witness', ...place, '--name', 'w.test', '--log', log];
      const running = startTlog(args, folder.path);
      const [, key = '', url = ''] =
        /^verifier key +(\S+)\nlistening +(\S+)\n/.exec(await running.printed(/listening .*\n/)) ?? [];
      const add = async (from: number, size: number) => {
        const body = new Uint8Array(await log600.offer(from, size));
        const response = await fetch(`${url}add-checkpoint`, { method: 'POST', body });
        return { status: response.status, text: await response.text() };
      };
      return { running, key, url, add };
    };
    const log600 = new MadeLog(600);
    const first = await start();
    expect(await readFile(join(folder.path, 'w.key'), 'utf8')).toMatch(/^PRIVATE\+KEY\+w\.test\+/);
    const { status, text } = await first.add(0, 300);
    const note = log600.checkpoint(300) + text;
    const keys = [OTHER_LOG_KEY.verifier, VerifierKey.parse(first.key)!];
    expect([status, verifyNote(parseNote(note)!, keys)?.length]).toEqual([200, 2]);
    const sha256 = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');
    const kept = await fetch(`${first.url}${sha256}/checkpoint`);
    expect([kept.status, await kept.text()]).toEqual([200, note]);
    first.running.child.kill('SIGKILL');
    await first.running.finished;

    const second = await start();
    expect(second.key).toBe(first.key);
    expect(await second.add(0, 600)).toEqual({ status: 409, text: '300\n' });
    const other = startTlog(
      ['witness', '--key-file', 'w.key', '--state', 'state', '--log', OTHER_LOG_KEY.verifierKey],
      folder.path,
    );
    expect(await other.finished).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('uses this folder'),
    });
    expect((await second.add(300, 600)).status).toBe(200);
    second.running.child.kill('SIGTERM');
    expect((await second.running.finished).code).toBe(0);
    await folder.remove();
  });
});
