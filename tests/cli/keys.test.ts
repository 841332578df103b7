import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';
import { setUpEach } from '../support/set-up.js';

const LINE = /^ed25519 (\w+) [A-Za-z0-9+/]{43}$/;

describe('vidimus keys generate', () => {
  const folder = setUpEach(temporaryFolder);
  let file: string;
  beforeEach(async () => {
    file = join(folder.path, 'new', 'signing.key');
  });
  const run = (...args: string[]) => runHere(['keys', 'generate', ...args], { cwd: folder.path });
  const lines = async () => (await readFile(file, 'utf8')).trimEnd().split('\n');

  it('writes a new file of mode 0600 and prints the key ID and public key, never the seed', async () => {
    const args = ['keys', 'generate', '--output', file, '--version', 'a_1', '--json'];
    const { code, stdout } = await vidimus(args, { cwd: folder.path });

    expect(code).toBe(0);
    const [line = ''] = await lines();
    expect(LINE.exec(line)?.[1]).toBe('a_1');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(stdout).not.toContain(line.split(' ')[2]);
    expect(JSON.parse(stdout)).toEqual({
      path: file,
      keyId: 'ed25519:a_1',
      publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}$/),
      peerLine: expect.stringContaining('trusted_key_servers'),
    });
  });

  it('goes by the configuration for the file and the line for peers', async () => {
    await writeConfig(folder.path, { signing_key_path: 'new/signing.key' });

    const { code, stdout } = await run('-c', 'config.yaml');

    expect(code).toBe(0);
    expect(await lines()).toEqual([expect.stringMatching(LINE)]);
    expect(stdout).toMatch(/server_name: "notary\.test", verify_keys: \{"ed25519:a_\w{5}": "/);
  });

  it('never overwrites a file and says what to do instead, exit code 1', async () => {
    await run('--output', file);
    const before = await lines();

    const { code, stderr } = await run('--output', file);

    expect(code).toBe(1);
    expect(stderr).toMatch(/never overwritten.*--append/);
    expect(await lines()).toEqual(before);
  });

  it('adds a key behind the present ones with --append and keeps mode 0600', async () => {
    await run('--output', file, '--version', 'a_1');
    const [first] = await lines();

    expect((await run('--output', file, '--append', '--version', 'a_2')).code).toBe(0);

    expect(await lines()).toEqual([first, expect.stringMatching(/^ed25519 a_2 /)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder.path, 'new'))).toEqual(['signing.key']);
  });

  it('refuses to add to a file that others can read, and to one with errors', async () => {
    await run('--output', file);
    await chmod(file, 0o644);
    expect(await run('--output', file, '--append')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/mode 0644.*chmod 600/),
    });
    await chmod(file, 0o600);
    await writeFile(file, 'rsa x y\n');
    expect(await run('--output', file, '--append')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/line 1/),
    });
  });
});
