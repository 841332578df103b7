import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { logLines, makeDatabase, startVidimus, temporaryFolder, vidimus, writeConfig } from './vidimus.js';

/** Text of SQLite's own file header, so long that it is read at all. */
const OTHER_FILE = 'a note about something else, which is no database at all\n'.repeat(20);
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe('a SQLite file that cannot be used', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await writeFile(join(folder.path, 'file'), OTHER_FILE);
    await mkdir(join(folder.path, 'folder'));
  });
  afterEach(() => folder.remove());
  const run = async (path: string, ...args: string[]) => {
    await writeConfig(folder.path, { database: { path: join(folder.path, path) } });
    const line = [...args, '-c', 'config.yaml'];
    return args[0] === 'serve' ? vidimus(line, { cwd: folder.path }) : runHere(line, { cwd: folder.path });
  };

  it.each([
    ['folder', 'The database file cannot be opened, or made in its folder, or written', 3],
    ['file/x.db', 'The database file cannot be opened, or made in its folder, or written', null],
    ['file', 'The file is not an SQLite database, or damaged', 1],
  ])('%s is reported by serve and commands with cause and path, once', async (path, sentence, exitCode) => {
    const ended = [{ wanted: 1, ...(await run(path, 'serve', '--no-retry')) }];
    if (exitCode !== null) ended.push({ wanted: exitCode, ...(await run(path, 'admin', 'sign-in-code')) });

    for (const { wanted, code, stderr } of ended) {
      expect(stderr).toMatch(new RegExp(`^vidimus: ${sentence}: ${join(folder.path, path)}\\. \\S.*\\n$`));
      expect(stderr.split(folder.path)).toHaveLength(2);
      expect(code).toBe(wanted);
    }
  });

  it.each(['folder', 'file/x.db', 'file'])('%s is an error of config check', async (path) => {
    const { code, stderr } = await run(path, 'config', 'check');

    expect(stderr).toMatch(/config\.yaml(?::\d+)? {2}database(?:\.path)?: .*\b(?:file|Database) /);
    expect(stderr).toContain(join(folder.path, path));
    expect(code).toBe(2);
  });

  it('is told again at every try of a server that waits', async () => {
    const path = join(folder.path, 'folder');
    await writeConfig(folder.path, { database: { path } });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });

    const line = await running.log('the database cannot be reached');
    running.child.kill('SIGTERM');
    await running.finished;

    expect(line['cause']).toContain(
      `The database file cannot be opened, or made in its folder, or written: ${path}. `,
    );
    expect(JSON.stringify(line).split(path)).toHaveLength(2);
    expect(running.stdout()).not.toContain('"stack"');
  });
});

/** SQLite asks by the real user, so these commands are processes. */
describe('a SQLite file that this user may not write', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const inData = (name: string) => join(folder.path, 'data', name);
  const run = (line: string) =>
    vidimus([...line.split(' '), '-c', 'config.yaml'], { cwd: folder.path, heedsModes: true });
  beforeEach(async () => {
    folder = await temporaryFolder();
    await writeConfig(folder.path, { signing_key_path: 'own.key', media_store_path: 'media' });
    await writeFile(join(folder.path, 'own.key'), `ed25519 own ${'A'.repeat(43)}\n`, { mode: 0o600 });
    await makeDatabase(inData('vidimus.db'));
  });
  afterEach(async () => {
    await chmod(inData(''), 0o700);
    await folder.remove();
  });
  const sentence = () =>
    `The database file cannot be opened, .* or written: ${inData('vidimus.db')}\\. \\S.*`;

  it('is told by every command and by serve with cause and path, once', async () => {
    await chmod(inData('vidimus.db'), 0o444);
    const told = expect.stringMatching(new RegExp(`^vidimus: ${sentence()}\\n$`)) as string;

    expect(await run('admin sign-in-code')).toMatchObject({ code: 3, stderr: told });
    const served = await run('serve --no-retry');
    expect(served).toMatchObject({ code: 1, stderr: told });
    const fatal = logLines(served.stdout).find(({ level }) => level === 'fatal');
    expect(Object.keys(fatal ?? {})).toEqual(['level', 'time', 'cause', 'msg']);
    expect(JSON.stringify(fatal).split(folder.path)).toHaveLength(2);
  });

  it.each([
    ['file', 'vidimus.db', 0o444],
    ['folder', '', 0o500],
  ])('because of its %s is found by config check and doctor', async (_what, name, mode) => {
    await chmod(inData(name), mode);

    const [checked, examined] = await Promise.all([run('config check'), run('doctor')]);

    expect(checked.stderr).toContain(
      `database.path: this user may not write to ${inData(name).replace(/\/$/, '')}\n`,
    );
    expect(checked.code).toBe(2);
    expect(examined.stdout).toMatch(/^FAILED {3}Database/m);
    expect(examined.code).toBe(1);
  });

  it('and is still to be made is found by config check and doctor', async () => {
    await rm(inData('vidimus.db'));
    await chmod(inData(''), 0o500);

    const [checked, examined] = await Promise.all([run('config check'), run('doctor')]);

    const path = inData('vidimus.db');
    expect(checked.stderr).toContain(
      `database.path: Database ${path} does not exist and cannot be made: this user may not write to ${dirname(path)}\n`,
    );
    expect(checked.code).toBe(2);
    expect(examined.stdout).toMatch(/^FAILED {3}Database: .* does not exist and cannot be made: /m);
    expect(examined.code).toBe(1);
  });
});

describe.runIf(canMount)('a disk too small for the migrations of a SQLite file', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let disk: string;
  const mount = (...options: string[]) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(), 'tmpfs', disk]);
  beforeEach(async () => {
    folder = await temporaryFolder();
    disk = join(folder.path, 'disk');
    await mkdir(disk);
    await writeConfig(folder.path, { database: { path: join(disk, 'x.db') } });
  });
  afterEach(async () => {
    execFileSync('umount', ['-l', disk]);
    await folder.remove();
  });

  it('without room for a byte is told by whatever begins with a lock, in the same words', async () => {
    mount('size=120k');
    const room = writeFile(join(disk, 'filler'), Buffer.alloc(200_000));
    await expect(room).rejects.toThrow('ENOSPC');
    const config = ['-c', 'config.yaml'];

    const { stderr } = await vidimus(['serve', '--no-retry', ...config], { cwd: folder.path });
    expect(stderr).toMatch(
      new RegExp(`^vidimus: The disk of the database is full: ${disk}/x\\.db\\. \\S.*\\n$`),
    );
  });

  it('after some of them is waited out by a server like an outage', async () => {
    mount('size=300k');
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    const line = await running.log('the database has no room on its disk');
    mount('remount', 'size=64m');
    await running.log('ready');
    running.child.kill('SIGTERM');

    expect((await running.finished).stderr).not.toContain('copy');
    expect(line['cause']).toContain(`The disk of the database is full: ${disk}/x.db. `);
    expect(running.stdout()).not.toContain('"stack"');
  });
});
