import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig } from './vidimus.js';

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
    ['folder', 'The database file cannot be opened, or made in its folder', 3],
    ['file/x.db', 'The database file cannot be opened, or made in its folder', 3],
    ['file', 'The file is no SQLite database', 1],
  ])('%s is told by serve and db migrate with cause and path, once', async (path, sentence, exitCode) => {
    for (const args of [
      ['serve', '--no-retry'],
      ['db', 'migrate'],
    ]) {
      const { code, stderr } = await run(path, ...args);

      expect(stderr).toMatch(new RegExp(`^vidimus: ${sentence}: ${join(folder.path, path)}\\. \\S.*\\n$`));
      expect(stderr.split(folder.path)).toHaveLength(2);
      expect(code).toBe(args[0] === 'serve' ? 1 : exitCode);
    }
  });

  it('is told again at every try of a server that waits', async () => {
    const path = join(folder.path, 'folder');
    await writeConfig(folder.path, { database: { path } });
    const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });

    const line = await running.log('the database cannot be reached');
    running.child.kill('SIGTERM');
    await running.finished;

    expect(line['cause']).toContain(`The database file cannot be opened, or made in its folder: ${path}. `);
    expect(JSON.stringify(line).split(path)).toHaveLength(2);
    expect(running.stdout()).not.toContain('"stack"');
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

  it('is told at every try of db migrate without a trace, and does once it has room', async () => {
    mount('size=120k');
    const migrate = () => runHere(['db', 'migrate', '-c', 'config.yaml'], { cwd: folder.path });
    for (const _try of ['first', 'second']) {
      const { code, stderr } = await migrate();

      expect(stderr).toMatch(
        new RegExp(`^vidimus: The disk of the database is full: ${disk}/x\\.db\\. \\S.*\\n$`),
      );
      expect(code).toBe(3);
    }

    mount('remount', 'size=64m');
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' });
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
