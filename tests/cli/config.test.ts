import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';
import { setUpEach } from '../support/set-up.js';

const folder = setUpEach(temporaryFolder);
const run = (args: string[], env: Record<string, string> = {}) => runHere(args, { cwd: folder.path, env });

const FAULTY = 'server_name: x y\nlistners: []\nlog: {level: loud}\n';

describe('vidimus config generate', () => {
  it('prints a file that check accepts', async () => {
    const { code, stdout } = await run(['config', 'generate', '--server-name', 'example.org']);
    await writeFile(join(folder.path, 'made.yaml'), stdout);

    expect(code).toBe(0);
    const checked = await vidimus(['config', 'check', '-c', 'made.yaml'], { cwd: folder.path });
    expect(checked).toMatchObject({ code: 0, stdout: 'made.yaml: no errors\n' });
    expect(checked.stderr).toBe('');
  });

  it('never overwrites a file, exit code 1', async () => {
    const path = join(folder.path, 'made.yaml');
    expect(await run(['config', 'generate', '--output', path])).toMatchObject({ code: 0, stdout: '' });
    await writeFile(path, 'mine');

    const { code, stderr } = await run(['config', 'generate', '--output', path]);

    expect(code).toBe(1);
    expect(stderr).toMatch(/exists already/);
    expect(await readFile(path, 'utf8')).toBe('mine');
  });
});

describe('vidimus config check', () => {
  it('prints every error with its location, exit code 2', async () => {
    await writeFile(join(folder.path, 'bad.yaml'), FAULTY);

    const { code, stderr } = await run(['config', 'check', '--config', 'bad.yaml']);

    expect(code).toBe(2);
    expect(stderr).toMatch(/3 errors/);
    expect(stderr).toMatch(/bad\.yaml:1:14 {2}server_name: /);
    expect(stderr).toMatch(/bad\.yaml:2:1 {2}listners: unknown setting; did you mean listeners\?/);
    expect(stderr).toMatch(/bad\.yaml:3:14 {2}log\.level: /);
  });

  it('prints the errors as JSON too, on standard output', async () => {
    await writeFile(join(folder.path, 'bad.yaml'), FAULTY);

    const { code, stdout, stderr } = await run(['config', 'check', '--json'], { VIDIMUS_CONFIG: 'bad.yaml' });

    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      warnings: [],
      errors: [
        { setting: 'server_name', line: 1, column: 14 },
        { setting: 'listners', message: 'unknown setting', suggestion: 'listeners' },
        { setting: 'log.level' },
      ],
    });
  });
});

describe('vidimus config show', () => {
  const database = { engine: 'postgresql', url: 'postgresql://u:hunter2@localhost/v' };

  it('tells where each value comes from and shows no passwords', async () => {
    await writeConfig(folder.path, { database });

    const { code, stdout } = await run(['config', 'show', '-c', 'config.yaml', '--json'], {
      VIDIMUS__LOG__LEVEL: 'debug',
    });

    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as { path: string; value: unknown; source: string }[];
    const row = (name: string) => rows.find(({ path }) => path === name);
    expect(row('server_name')).toMatchObject({
      value: 'notary.test',
      source: 'file',
    });
    expect(row('log.level')).toMatchObject({
      value: 'debug',
      origin: 'VIDIMUS__LOG__LEVEL',
      defaultValue: 'info',
    });
    expect(row('dialect')).toMatchObject({ value: 'svc', source: 'default' });
    expect(stdout).not.toContain('hunter2');
  });
});

describe('vidimus config proxy', () => {
  const listeners = [
    { port: 8108, x_forwarded: true, resources: ['keys', 'previews', 'media'] },
    { port: 8109, resources: ['admin'] },
  ];

  it('prints the lines for a proxy, with the names and addresses of the configuration', async () => {
    await writeConfig(folder.path, { server_name: 'example.org', listeners });

    const { code, stdout, stderr } = await run(['config', 'proxy', 'caddy', '-c', 'config.yaml']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('/_svc/');
    expect(stdout).toContain(String.raw`example\.org`);
    expect(stdout).toContain('127.0.0.1:8108');
    expect(stdout).not.toContain('8109');
  });
});
