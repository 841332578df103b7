import { once } from 'node:events';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { makeKeyRecord, makeTestKey } from './support/key-records.js';
import { startLogOrigin, type LogOrigin } from './support/log-origin.js';
import {
  LOG_KEY,
  filesOf,
  madeEntries,
  makeFollowedRecord,
  withEntry,
  type FollowedRecord,
  type LogFiles,
} from './support/logs.js';
import { runTlog, startTlog, temporaryFolder, type Finished, type Running } from './support/run-tlog.js';

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
  const argsOf = (...args: string[]) => ['verify', origin.url, '--key', verifierKey, ...args];
  const verify = (...args: string[]): Promise<Finished> => runTlog(argsOf(...args), folder.path);
  const stateOf = async () =>
    JSON.parse(await readFile(join(folder.path, 'state.json'), 'utf8')) as Record<string, unknown>;
  const evidence = async () => {
    const names = (await readdir(folder.path)).filter((name) => name.startsWith('log-evidence-'));
    expect(names).toHaveLength(1);
    const path = join(folder.path, names[0]!);
    return { path, ...(JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>) };
  };
  const noteOf = (files: LogFiles) => files.get('checkpoint')!.toString();

  it('reads all entries and records, tells those about watched names, and goes on where it was', async () => {
    const [a, b, c] = ['a.test', 'b.test', 'a.test'].map((name) => makeFollowedRecord(name));
    serve(logOf([a!, b!]));
    const line = argsOf('--state', 'state.json', '--watch', 'a.test,x.test');
    const first = await runTlog(line, folder.path);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /^(?:entry [012] {2}of another form, .*\n){3}entry 3 {2}\S+ \S+ {2}a\.test {2}server_first_seen\n {2}record +[0-9a-f]{64}\n {2}key +ed25519:k1 {2}\S{43}\n {2}record is signed by its server\n\S+ \S+ {2}dishonest\.test\/log: 5 entries, root \S+=, first look; 5 read, 2 records verified, 0 deleted, 0 REFUSED, 3 entries of another form\n$/,
    );
    expect((await stat(join(folder.path, 'state.json'))).mode & 0o777).toBe(0o600);
    expect(await stateOf()).toMatchObject({ version: 1, verifier_key: verifierKey, entries_read: 5 });

    serve(logOf([a!, b!, c!]));
    const second = await verify('--state', 'state.json', '--watch', 'a.test');
    expect(second.stdout).toMatch(
      /^entry 5 {2}(?:.*\n)+.* 6 entries, .* consistent with 5 before; 1 read, 1 records verified, .*\n$/,
    );
    expect(second.code).toBe(0);
    expect(origin.requested.filter((path) => path.startsWith('record/'))).toEqual([c!.path]);
  });

  it('fetches the records of watched names only when told so, and says which are gone', async () => {
    const [a, b, c] = ['a.test', 'b.test', 'a.test'].map((name) => makeFollowedRecord(name));
    const files = logOf([a!, b!, c!]);
    files.delete(c!.path);
    serve(files);
    const { code, stdout } = await verify('--no-records', '--watch', 'a.test');
    expect(origin.requested.filter((path) => path.startsWith('record/')).toSorted()).toEqual(
      [a!.path, c!.path].toSorted(),
    );
    expect(stdout).toContain('record is deleted since');
    expect(stdout).toContain('1 records verified, 1 deleted');
    expect(code).toBe(0);
  });

  it.each([
    ['of the same size', 0],
    ['that has grown', 40],
  ])('catches a log with two faces at its next look, the other face %s', async (_, more) => {
    const face = (name: string, count: number) =>
      logOf(
        Array.from({ length: count }, () => makeFollowedRecord(name)),
        290,
      );
    const [shown, other] = [face('a.test', 3), face('b.test', 3 + more)];
    serve(shown);
    expect(await verify('--state', 'state.json')).toMatchObject({ code: 0 });
    const before = await stateOf();
    serve(other);
    const caught = await verify('--state', 'state.json');

    expect(caught.code).toBe(1);
    const kept = await evidence();
    expect(caught.stderr).toContain('THE LOG HAS LIED');
    expect(caught.stderr).toContain(kept.path);
    expect(kept).toMatchObject({
      version: 1,
      verifier_key: verifierKey,
      checkpoints: [noteOf(shown), noteOf(other)],
    });
    expect(await stateOf()).toEqual(before);
    // It is not forgotten.
    expect((await verify('--state', 'state.json')).code).toBe(1);
  });

  it('finds a record that its server has not signed, one that is another, and an entry that says something else', async () => {
    const key = makeTestKey('k1');
    const options = { serverName: 'a.test', keys: [key], validUntilTs: 4_102_444_800_000 };
    const unsigned = makeKeyRecord({ ...options, signWith: [makeTestKey('k1')] });
    const good = makeFollowedRecord('b.test');
    const [swapped, renamed] = [makeFollowedRecord('c.test'), makeFollowedRecord('d.test')];
    const files = logOf([
      withEntry('a.test', unsigned),
      good,
      { ...swapped, record: good.record },
      {
        ...renamed,
        entry: Buffer.from(renamed.entry.toString().replace('"valid_until_ts":4', '"valid_until_ts":3')),
      },
    ]);
    serve(files);
    const { code, stdout } = await verify('--state', 'state.json');

    expect(code).toBe(1);
    expect([...stdout.matchAll(/record is !! (\w+)/g)].map(([, reason]) => reason)).toEqual([
      'record_bad_signature',
      'record_other_hash',
      'entry_not_of_record',
    ]);
    expect(stdout).toContain('1 records verified, 0 deleted, 3 REFUSED, 3 entries of another form');
    expect(await evidence()).toMatchObject({ served: { base64: unsigned.toString('base64') } });
    expect(await stateOf()).toMatchObject({ entries_read: 7 });
  });

  it('prints entries of nearly our form when names are watched, and escapes what a terminal would obey', async () => {
    const made = makeFollowedRecord('a.test');
    const near = made.entry.toString().replace('"server_first_seen"', '"server_seen\\u001b[2J"');
    const oldKeys = [makeTestKey('k\u001b]0;owned\u0007\u202e')];
    const keys = [makeTestKey('k1')];
    const record = makeKeyRecord({ serverName: 'a.test', keys, oldKeys, validUntilTs: 4_102_444_800_000 });
    serve(logOf([{ ...made, entry: Buffer.from(near) }, withEntry('a.test', record)], 1));
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('a.test') });
    const { stdout } = await verify('--watch', 'a.test');
    expect(stdout).toMatch(/^entry 1 {2}of another form, not checked: .*"a\.test"/mu);
    expect(stdout).toContain(String.raw`k\u001b]0;owned\u0007\u202e`);
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });

  it('stops at a signal and goes on from there', async () => {
    const files = filesOf(madeEntries(3000));
    serve(files);
    let release: (bytes: null) => void = () => {};
    let running: Running | null = null;
    origin.serve = (path) => {
      if (path !== 'tile/entries/009') return files.get(path) ?? null;
      running?.child.kill('SIGINT');
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    running = startTlog(argsOf('--state', 'state.json'), folder.path);
    expect(await running.finished).toMatchObject({ code: 0 });
    release(null);
    const { entries_read: read } = await stateOf();
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(3000);

    serve(files);
    expect(await verify('--state', 'state.json')).toMatchObject({ code: 0 });
    expect(await stateOf()).toMatchObject({ entries_read: 3000 });
    expect(origin.requested).not.toContain('tile/entries/000');
  });

  it('follows a log until it is stopped, through times when it cannot be seen', async () => {
    const [a, b] = ['a.test', 'b.test'].map((name) => makeFollowedRecord(name));
    serve(logOf([a!]));
    const args = argsOf('--follow', '--every', '0.02', '--watch', 'a.test,b.test');
    const running = startTlog(args, folder.path);
    await running.printed(/: 4 entries,/);
    origin.serve = () => null;
    await running.warned(/There is no checkpoint/);
    serve(logOf([a!, b!]));
    await running.printed(/: 5 entries,/);
    expect(running.stdout()).toMatch(/^entry 4 {2}.* b\.test /m);
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
  });

  it('tells a log that cannot be seen from one that lies, and refuses a state that is none', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const away = ['verify', `http://127.0.0.1:${port}/log`, '--key', verifierKey];
    expect(await runTlog(away, folder.path)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
    serve(new Map());
    expect((await verify()).code).toBe(3);
    serve(new Map([['checkpoint', Buffer.from('<html>sign in</html>')]]));
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('is not signed by') });

    serve(logOf([]));
    for (const text of ['', '{}', '{"version":2}']) {
      await writeFile(join(folder.path, 'state.json'), text);
      const refused = await verify('--state', 'state.json');
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not the state of a followed log'),
      });
    }
  });
});
