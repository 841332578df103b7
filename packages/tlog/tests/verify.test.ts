import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startLogOrigin, type LogOrigin } from './support/log-origin.js';
import {
  LOG_KEY,
  filesOf,
  madeEntries,
  makeFollowedRecord,
  type FollowedRecord,
  type LogFiles,
} from './support/logs.js';
import { runTlog, startTlog, temporaryFolder } from './support/run-tlog.js';

const { verifierKey } = LOG_KEY;

/** What a log serves that vouches for these records, behind some entries of another form. */
function logOf(records: readonly FollowedRecord[], others = 3): LogFiles {
  const entries = [...madeEntries(others), ...records.map(({ entry }) => entry)];
  return new Map([...filesOf(entries), ...records.map(({ path, record }) => [path, record] as const)]);
}

describe('tlog verify', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let origin: LogOrigin;

  beforeAll(async () => {
    origin = await startLogOrigin();
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    return () => folder.remove();
  });
  afterAll(() => origin.close());

  const serve = (files: LogFiles) => {
    origin.requested = [];
    origin.serve = (path) => files.get(path) ?? null;
  };
  const recordsRequested = () => origin.requested.filter((path) => path.startsWith('record/'));
  const argsOf = (...args: string[]) => ['verify', origin.url, '--key', verifierKey, ...args];
  const verify = (...args: string[]) => runTlog(argsOf(...args), folder.path);
  const verifyOn = (...args: string[]) => verify('--state', 'state.json', ...args);
  const readJson = async (name: string) =>
    JSON.parse(await readFile(join(folder.path, name), 'utf8')) as Record<string, unknown>;
  const evidence = async () => {
    const [name = '', ...more] = (await readdir(folder.path)).filter((each) => each.startsWith('log-evid'));
    expect(more).toEqual([]);
    return { path: join(folder.path, name), ...(await readJson(name)) };
  };

  it('reads all entries and records, prints those about watched names, and goes on where it was', async () => {
    const [a, b, c] = ['a.test', 'b.test', 'a.test'].map((name) => makeFollowedRecord(name));
    serve(logOf([a!, b!]));
    const first = await verifyOn('--watch', 'a.test,x.test');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /^(?:entry [012] {2}of another form, .*\n){3}entry 3 {2}\S+ \S+ {2}a\.test {2}server_first_seen\n {2}record +[0-9a-f]{64}\n {2}key +ed25519:k1 {2}\S{43}\n {2}old key .*\n {2}record is signed by its server\n\S+ \S+ {2}dishonest\.test\/log: 5 entries, root \S+=, first look; 5 read, 2 records verified, 0 deleted, 0 refused, 3 entries of another form\n$/,
    );
    expect((await stat(join(folder.path, 'state.json'))).mode & 0o777).toBe(0o600);
    const state = { version: 1, verifier_key: verifierKey, entries_read: 5 };
    expect(await readJson('state.json')).toMatchObject(state);

    serve(logOf([a!, b!, c!]));
    const second = await verifyOn('--watch', 'a.test');
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(
      /^entry 5 {2}(?:.*\n)+.* 6 entries, .* consistent with 5 before; 1 read, 1 records verified, .*\n$/,
    );
    expect(recordsRequested()).toEqual([c!.path]);

    const gone = logOf([a!, b!, c!]);
    gone.delete(c!.path);
    serve(gone);
    const watched = await verify('--no-records', '--watch', 'a.test');
    expect(recordsRequested().toSorted()).toEqual([a!.path, c!.path].toSorted());
    expect(watched.stdout).toContain('record is deleted since');
    expect(watched.stdout).toContain('1 records verified, 1 deleted');
    expect(watched.code).toBe(0);
  });

  it('catches a log with two faces at its next look, and keeps what proves it', async () => {
    const face = (name: string) => logOf([makeFollowedRecord(name)], 290);
    const [shown, other] = [face('a.test'), face('b.test')];
    serve(shown);
    expect(await verifyOn()).toMatchObject({ code: 0 });
    const before = await readJson('state.json');
    serve(other);
    const caught = await verifyOn();

    const kept = await evidence();
    expect(caught.code).toBe(1);
    expect(caught.stderr).toContain('THE LOG HAS LIED');
    expect(caught.stderr).toContain(kept.path);
    const checkpoints = [shown, other].map((files) => files.get('checkpoint')!.toString());
    expect(kept).toMatchObject({ version: 1, verifier_key: verifierKey, checkpoints });
    // It is not forgotten.
    expect(await readJson('state.json')).toEqual(before);
    expect((await verifyOn()).code).toBe(1);
  });

  it('finds a record that its server has not signed, one that is another, and an entry that says something else', async () => {
    const unsigned = makeFollowedRecord('a.test', { isForged: true });
    const [good, swapped, renamed] = ['b.test', 'c.test', 'd.test'].map((name) => makeFollowedRecord(name));
    const entry = renamed!.entry.toString().replace('"valid_until_ts":4', '"valid_until_ts":3');
    serve(
      logOf([
        unsigned,
        good!,
        { ...swapped!, record: good!.record },
        { ...renamed!, entry: Buffer.from(entry) },
      ]),
    );
    const { code, stdout } = await verifyOn();

    expect(code).toBe(1);
    expect([...stdout.matchAll(/record is !! (\w+)/g)].map(([, reason]) => reason)).toEqual([
      'record_bad_signature',
      'record_other_hash',
      'entry_not_of_record',
    ]);
    expect(stdout).toContain('1 records verified, 0 deleted, 3 refused, 3 entries of another form');
    expect(await evidence()).toMatchObject({ served: { base64: unsigned.record.toString('base64') } });
    expect(await readJson('state.json')).toMatchObject({ entries_read: 7 });
  });

  it('prints entries of nearly our form when names are watched, and escapes what a terminal would obey', async () => {
    const made = makeFollowedRecord('a.test');
    const near = made.entry.toString().replace('"server_first_seen"', '"server_seen\\u001b[2J"');
    const odd = makeFollowedRecord('a.test', { oldKeyId: 'ed25519:k\u001b]0;owned\u0007\u202e' });
    serve(logOf([{ ...made, entry: Buffer.from(near) }, odd], 1));
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('a.test') });
    const { stdout } = await verify('--watch', 'a.test');
    expect(stdout).toMatch(/^entry 1 {2}of another form, not checked: .*"a\.test"/mu);
    expect(stdout).toContain(String.raw`k\u001b]0;owned\u0007\u202e`);
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });

  it('goes on after kill -9 where it was', async () => {
    const files = filesOf(madeEntries(3000));
    serve(files);
    const running = startTlog(argsOf('--state', 'state.json'), folder.path);
    origin.serve = (path) => {
      if (path === 'tile/entries/009') running.child.kill('SIGKILL');
      return files.get(path) ?? null;
    };
    await running.finished;
    expect(await readJson('state.json')).toMatchObject({ entries_read: 9 * 256 });

    serve(files);
    expect(await verifyOn()).toMatchObject({ code: 0 });
    expect(await readJson('state.json')).toMatchObject({ entries_read: 3000 });
    expect(origin.requested).not.toContain('tile/entries/000');
  });

  it('tells a log that cannot be seen from one that lies, and refuses a state that is none', async () => {
    serve(new Map());
    expect((await verify()).code).toBe(3);
    const closed = await startLogOrigin();
    await closed.close();
    const away = { code: 3, stderr: expect.stringContaining('ECONNREFUSED') };
    expect(await runTlog(['verify', closed.url, '--key', verifierKey], folder.path)).toMatchObject(away);
    serve(new Map([['checkpoint', Buffer.from('<html>sign in</html>')]]));
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('is not signed by') });

    serve(logOf([]));
    for (const text of ['', '{}', '{"version":2}']) {
      await writeFile(join(folder.path, 'state.json'), text);
      const refused = { code: 2, stderr: expect.stringContaining('is not the state of a followed log') };
      expect(await verifyOn()).toMatchObject(refused);
    }
  });
});
