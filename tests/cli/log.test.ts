import { once } from 'node:events';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { writeProof } from '../../src/core/notary/log/notes/tlog-proof.js';
import { makeKeyRecord, makeTestKey } from '../support/origins/key-record-maker.js';
import {
  ORIGIN_KEY,
  entryFor,
  filesOf,
  makeFollowedRecord,
  startLogOrigin,
  type LogFiles,
  type LogOrigin,
} from '../support/origins/log-origin.js';
import { createTestAuthority, startRemoteServer } from '../support/origins/remote-server.js';
import { madeEntries } from '../support/store/test-log.js';
import { checkpointOf } from '../support/clients/log-client.js';
import { postKey } from '../support/clients/notary-client.js';
import { runHere } from './in-process.js';
import {
  startVidimus,
  temporaryFolder,
  vidimus,
  writeConfig,
  type Finished,
  type Running,
} from './vidimus.js';

const VALID_UNTIL_TS = 4_102_444_800_000;
const { verifierKey } = ORIGIN_KEY;

/** What a log serves that vouches for these records, behind some entries of another form. */
function logOf(records: readonly { record: Buffer; entry: Buffer; path: string }[], others = 3): LogFiles {
  const entries = [...madeEntries(0, others), ...records.map(({ entry }) => entry)];
  return new Map([...filesOf(entries), ...records.map(({ path, record }) => [path, record] as const)]);
}

describe('vidimus log verify', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let origin: LogOrigin;

  beforeAll(async () => {
    origin = await startLogOrigin(new Map());
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    return () => folder.remove();
  });
  afterAll(() => origin.close());

  const serve = (files: LogFiles) => {
    origin.asked = [];
    origin.serve = (path) => files.get(path) ?? null;
  };
  const argsOf = (...args: string[]) => ['log', 'verify', origin.url, '--key', verifierKey, ...args];
  const verify = (...args: string[]): Promise<Finished> => runHere(argsOf(...args), { cwd: folder.path });
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
    const first = await vidimus(line, { cwd: folder.path });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /^(?:entry [012] {2}of another form, .*\n){3}entry 3 {2}\S+ \S+ {2}a\.test {2}server_first_seen\n {2}record +[0-9a-f]{64}\n {2}key +ed25519:k1 {2}\S{43}\n {2}record is signed by its server\n\S+ \S+ {2}dishonest\.test\/log: 5 entries, root \S+=, first look; 5 read, 2 records verified, 3 entries of another form\n$/,
    );
    expect((await stat(join(folder.path, 'state.json'))).mode & 0o777).toBe(0o600);
    expect(await stateOf()).toMatchObject({ version: 1, verifier_key: verifierKey, entries_read: 5 });

    serve(logOf([a!, b!, c!]));
    const second = await verify('--state', 'state.json', '--watch', 'a.test', '--json');
    const lines = second.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        type: 'entry',
        index: 5,
        record: 'verified',
        entry: { server_name: 'a.test', event: 'server_first_seen' },
      },
      { type: 'look', size: 6, size_before: 5, entries: 1, verified: 1, deleted: 0, refused: 0, foreign: 0 },
    ]);
    expect(second.code).toBe(0);
    expect(origin.asked.filter((path) => path.startsWith('record/'))).toEqual([c!.path]);
  });

  it('fetches the records of watched names only when told so, and says which are gone', async () => {
    const [a, b, c] = ['a.test', 'b.test', 'a.test'].map((name) => makeFollowedRecord(name));
    const files = logOf([a!, b!, c!]);
    files.delete(c!.path);
    serve(files);
    const { code, stdout } = await verify('--no-records', '--watch', 'a.test');
    expect(origin.asked.filter((path) => path.startsWith('record/')).toSorted()).toEqual(
      [a!.path, c!.path].toSorted(),
    );
    expect(stdout).toContain('record is deleted since');
    expect(stdout).toContain('1 records verified, 1 deleted since');
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
    expect(await verify('--state', 'state.json', '--json')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^{ "type": "contradiction", "message": ".*", "evidence": ".*\.json" }\n$/,
      ),
    });
  });

  it('keeps the tile or bundle that does not fit as evidence', async () => {
    const files = logOf([makeFollowedRecord('a.test')], 0);
    const bundle = Buffer.from(files.get('tile/entries/000.p/1')!);
    bundle[9]! ^= 1;
    serve(new Map(files).set('tile/entries/000.p/1', bundle));
    expect((await verify()).code).toBe(1);
    expect(await evidence()).toMatchObject({
      checkpoints: [noteOf(files)],
      served: { path: 'tile/entries/000.p/1', base64: bundle.toString('base64') },
    });
  });

  it('finds a record that its server has not signed, one that is another, and an entry that says something else', async () => {
    const key = makeTestKey('k1');
    const options = { serverName: 'a.test', keys: [key], validUntilTs: VALID_UNTIL_TS };
    const unsigned = makeKeyRecord({ ...options, signWith: [makeTestKey('k1')] });
    const good = makeFollowedRecord('b.test');
    const [swapped, renamed] = [makeFollowedRecord('c.test'), makeFollowedRecord('d.test')];
    const files = logOf([
      { record: unsigned, ...entryFor('a.test', unsigned) },
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
    expect(stdout).toContain('1 records verified, 3 entries of another form, 3 RECORDS REFUSED');
    expect(await evidence()).toMatchObject({ served: { base64: unsigned.toString('base64') } });
    expect(await stateOf()).toMatchObject({ entries_read: 7 });
  });

  it('tells an entry that is nearly of our form, which hides nothing from whoever watches a name', async () => {
    const made = makeFollowedRecord('a.test', 'k1');
    const entry = Buffer.from(
      made.entry.toString().replace('"server_first_seen"', '"server_seen\\u001b[2J"'),
    );
    serve(logOf([{ ...made, entry }], 1));
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('a.test') });
    const watching = await verify('--watch', 'a.test');
    expect(watching.stdout).toMatch(/^entry 1 {2}of another form, about whom nobody can say: .*"a\.test"/mu);
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(watching.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    const { stdout } = await verify('--watch', 'a.test', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual({
      type: 'entry_of_another_form',
      index: 1,
      base64: entry.toString('base64'),
    });
  });

  it('shows escape sequences of entries instead of sending them to the terminal', async () => {
    const keyId = 'k\u001b]0;owned\u0007\u202e';
    const record = makeKeyRecord({
      serverName: 'a.test',
      keys: [makeTestKey('k1')],
      oldKeys: [{ key: makeTestKey(keyId), expiredTs: 1 }],
      validUntilTs: VALID_UNTIL_TS,
    });
    serve(logOf([{ record, ...entryFor('a.test', record) }]));
    for (const args of [[], ['--json']]) {
      const { stdout } = await verify('--watch', 'a.test', ...args);
      expect(stdout).toContain(String.raw`k\u001b]0;owned\u0007\u202e`);
      // eslint-disable-next-line no-control-regex -- what must not be there
      expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
    }
  });

  it('stops at a signal and goes on from there', async () => {
    const files = filesOf(madeEntries(0, 3000));
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
    running = startVidimus(argsOf('--state', 'state.json'), { cwd: folder.path });
    expect(await running.finished).toMatchObject({ code: 0 });
    release(null);
    const { entries_read: read } = await stateOf();
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(3000);

    serve(files);
    expect(await verify('--state', 'state.json')).toMatchObject({ code: 0 });
    expect(await stateOf()).toMatchObject({ entries_read: 3000 });
    expect(origin.asked).not.toContain('tile/entries/000');
  });

  it('follows a log until it is stopped, through times when it cannot be seen', async () => {
    const [a, b] = ['a.test', 'b.test'].map((name) => makeFollowedRecord(name));
    serve(logOf([a!]));
    const running = startVidimus(
      argsOf('--follow', '--every', '20ms', '--json', '--watch', 'a.test,b.test'),
      {
        cwd: folder.path,
      },
    );
    const told = async (wanted: RegExp) => {
      while (!wanted.test(running.stdout())) {
        if (running.child.exitCode !== null) throw new Error(running.stderr());
        await once(running.child.stdout!, 'data');
      }
    };
    await told(/"size": 4/);
    origin.serve = () => null;
    await told(/"unreachable"/);
    serve(logOf([a!, b!]));
    await told(/"size": 5, /);
    expect(running.stdout().match(/"type": "entry", "index": \d/g)).toEqual([
      '"type": "entry", "index": 3',
      '"type": "entry", "index": 4',
    ]);
    running.child.kill('SIGTERM');
    expect((await running.finished).code).toBe(0);
  });

  it('tells a log that cannot be seen from one that lies, and refuses a state that is none', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const away = ['log', 'verify', `http://127.0.0.1:${port}/log`, '--key', verifierKey];
    expect(await runHere(away, { cwd: folder.path })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Connection refused'),
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
        stderr: expect.stringContaining('is no state of a followed log'),
      });
    }
  });
});

describe('vidimus log prove and check', () => {
  it('believe no proof of an entry that followers cannot read', async () => {
    const folder = await temporaryFolder();
    const { entry: good } = makeFollowedRecord('a.test');
    const near = Buffer.from(good.toString().replace('"server_first_seen"', '"first_seen"'));
    const codes = [];
    for (const entry of [good, near]) {
      const checkpoint = filesOf([entry]).get('checkpoint')!.toString();
      await writeFile(join(folder.path, 'proof'), writeProof({ index: 0, entry, hashes: [], checkpoint }));
      for (const more of [[], ['--json']]) {
        const args = ['log', 'check', 'proof', '--key', verifierKey, ...more];
        codes.push((await runHere(args, { cwd: folder.path })).code);
      }
    }
    expect(codes).toEqual([0, 0, 1, 1]);
    await folder.remove();
  });

  it('write a proof of a key, from the store and from the address, that can be checked without either', async () => {
    const folder = await temporaryFolder();
    const authority = await createTestAuthority();
    const remote = await startRemoteServer(authority, {
      keys: [makeTestKey('k1')],
      validUntilTs: VALID_UNTIL_TS,
    });
    await writeConfig(folder.path, {
      federation_custom_ca_list: [authority.caPath],
      ip_range_whitelist: ['127.0.0.0/8'],
    });
    const place = { cwd: folder.path };
    const running = startVidimus(['serve', '-c', 'config.yaml'], place);
    const url = await running.url('keys');
    await running.log('ready');
    const made = await running.log('made the key of the log; back it up');
    const key = String(made['verifier_key']);
    expect(await postKey(url, remote.serverName)).toMatchObject({ status: 200 });
    expect(remote.hits()).toBe(1);
    await checkpointOf(url, 1);
    const address = `${url}/_svc/vidimus/v1/log`;
    const asked = ['log', 'prove', remote.serverName];

    const stored = await runHere([...asked, 'ed25519:k1', '-c', 'config.yaml'], place);
    const path = `${remote.serverName.replace(':', '_')}.ed25519_k1.tlog-proof`;
    expect(stored).toEqual({ code: 0, signal: null, stdout: `${path}\n`, stderr: '' });
    const fetched = await runHere([...asked, 'ed25519:k1', '--url', address, '-o', 'other'], place);
    expect(fetched).toMatchObject({ code: 0, stdout: 'other\n' });
    expect(await runHere([...asked, 'ed25519:k2', '--url', address], place)).toMatchObject({ code: 1 });
    const verified = await runHere(['log', 'verify', address, '--key', key], place);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('1 entries, ') });

    running.child.kill('SIGTERM');
    await running.finished;
    await remote.origin.close();
    await authority.remove();
    for (const file of [path, 'other']) {
      const checked = await runHere(['log', 'check', file, '--key', key], place);
      expect(checked.stdout).toContain(`and this is entry 0 of it:\n`);
      expect(checked.stdout).toContain(`${remote.serverName}  server_first_seen\n`);
      expect(checked.code).toBe(0);
    }
    const other = await runHere(['log', 'check', path, '--key', verifierKey, '--json'], place);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('is not signed by') });
    expect(await runHere(['log', 'check', 'missing', '--key', key], place)).toMatchObject({ code: 2 });
    await folder.remove();
  });
});
