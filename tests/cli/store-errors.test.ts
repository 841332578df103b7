import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { logLines, makeDatabase, temporaryFolder, vidimus, writeConfig } from './vidimus.js';

/** Text of SQLite's own file header, so long that it is read at all. */
const OTHER_FILE = 'a note about something else, which is no database at all\n'.repeat(20);

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
    ['folder', 'The database file cannot be opened, created or written', 3],
    ['file/x.db', 'The database file cannot be opened, created or written', null],
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
});
