import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { temporaryFolder } from '../cli/vidimus.js';
import { readText } from '../docs/repository-files.js';
import { registryIsAway } from './staged.js';
import { programMissing, runProgram } from './unit-file.js';
import { setUp } from '../support/set-up.js';

const CONFIG = 'etc/vidimus/config.yaml';
const isRoot = process.getuid?.() === 0;
const missing =
  programMissing('dpkg-deb', 'dpkg') ??
  programMissing('systemd-sysusers', 'systemd') ??
  (isRoot ? null : 'skipped: only root can install a package');

/** Stand-ins for what only a machine that systemd has started can do; resolves to their folder. */
async function standIns(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const programs = {
    systemctl: `echo "$@" >> ${folder}/systemctl.log`,
    runuser: 'shift 3; exec "$@"',
    'systemd-sysusers': '',
    'systemd-tmpfiles': '',
  };
  for (const [name, line] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return bin;
}

/** In a root folder of its own, with the scripts of the package told of it instead of in a chroot. */
describe.runIf(missing === null)(`the Debian package ${missing ?? ''}`, () => {
  const folder = setUp(temporaryFolder);
  let root: string;
  let deb: string | null = null;
  let away: string;
  beforeAll(async () => {
    root = join(folder.path, 'root');
    for (const part of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
      await mkdir(join(root, part), { recursive: true });
    await writeFile(join(root, 'var/lib/dpkg/status'), '');
    const built = spawnSync('deploy/debian/build.sh', [folder.path], { encoding: 'utf8' });
    away = registryIsAway(built.stderr) ?? '';
    if (built.status === 0) deb = built.stdout.trim();
    else if (away === '') throw new Error(built.stderr);
  });

  const dpkg = (...args: string[]) =>
    runProgram('dpkg', [`--root=${root}`, '--force-depends', '--force-script-chrootless', ...args]);
  const inRoot = (path: string) => join(root, path);

  it('is for this architecture, needs a Node that is claimed, and belongs to root', (context) => {
    context.skip(deb === null, away);
    const architecture = runProgram('dpkg', ['--print-architecture']).trim();
    const nodes = runProgram('node', ['deploy/debian/depends.mjs']).trim();
    const version = (JSON.parse(readText('package.json')) as { version: string }).version;

    expect(runProgram('dpkg-deb', ['--field', deb ?? '', 'Architecture', 'Version', 'Depends'])).toBe(
      `Architecture: ${architecture}\nVersion: ${version}\nDepends: ${nodes}, libatomic1, libjemalloc2, systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles\n`,
    );
    const owners = runProgram('dpkg-deb', ['--contents', deb ?? ''])
      .trim()
      .split('\n');
    expect(owners.filter((line) => !/^[-dl][-rwx]{9} root\/root /.test(line))).toEqual([]);
    expect(owners.filter((line) => /^-.{7}w/.test(line))).toEqual([]);
  });

  it.each([
    ['20.18.9', false],
    ['20.19.0+dfsg-1', true],
    ['22.13.0-1', true],
    ['26.1.0', true],
    ['27.0.0', true],
  ])('asks for the versions of Node with which the program starts: %s', (version, isWanted) => {
    const clauses = runProgram('node', ['deploy/debian/depends.mjs']).trim().split(', ');
    const holds = (clause: string) =>
      [...clause.matchAll(/nodejs \((\S+) (\S+)\)/g)].some(
        ([, relation = '', bound = '']) =>
          spawnSync('dpkg', ['--compare-versions', version, relation, bound]).status === 0,
      );

    expect(clauses.every(holds)).toBe(isWanted);
    // What the program itself says when it starts on that one; a newer one is only warned of.
    const load = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); await import('./scripts/check-node.mjs')`;
    const started = spawnSync('node', ['--input-type=module', '--eval', load], { encoding: 'utf8' });
    expect([started.status, started.error]).toEqual([isWanted ? 0 : 1, undefined]);
  });

  it('installs program, unit, user and folders, and says what comes next', (context) => {
    context.skip(deb === null, away);

    expect(dpkg('--install', deb ?? '')).toMatch(/set server_name in \/etc\/vidimus\/config\.yaml/);

    const passwd = readFileSync(inRoot('etc/passwd'), 'utf8');
    const [, uid, gid] = /^vidimus:x:(\d+):(\d+):/m.exec(passwd) ?? [];
    const state = statSync(inRoot('var/lib/vidimus'));
    const config = statSync(inRoot(CONFIG));
    expect([state.uid, state.gid, state.mode & 0o777]).toEqual([Number(uid), Number(gid), 0o700]);
    expect([config.uid, config.gid, config.mode & 0o777]).toEqual([0, Number(gid), 0o640]);
    expect(existsSync(inRoot('usr/lib/systemd/system/vidimus.service'))).toBe(true);
    expect(readlinkSync(inRoot('usr/bin/vidimus'))).toBe('../lib/vidimus/current/bin/vidimus.js');
  });

  it('keeps a changed configuration, and what a server runs from, when it is installed again', async (context) => {
    context.skip(deb === null, away);
    await appendFile(inRoot(CONFIG), 'server_name: example.org\n');
    const running = realpathSync(inRoot('usr/lib/vidimus/current'));
    await rm(inRoot('usr/lib/vidimus/program/bin/vidimus.js'));

    dpkg('--install', deb ?? '');

    expect(realpathSync(inRoot('usr/lib/vidimus/current'))).not.toBe(running);
    expect(runProgram(join(running, 'bin/vidimus.js'), ['version'])).toContain('vidimus');
    expect(readFileSync(inRoot(CONFIG), 'utf8')).toMatch(/\nserver_name: example\.org\n$/);
  });

  it.for([
    { what: 'that fits', more: '', wanted: 'try-restart vidimus.service\n' },
    { what: 'with errors', more: 'gone: 1\n', wanted: '' },
  ])(
    'asks before it restarts a running service: a configuration $what',
    async ({ more, wanted }, context) => {
      context.skip(deb === null, away);
      const state = join(folder.path, 'state');
      const bin = await standIns(state);
      const config = 'signing_key_path: key\nmedia_store_path: media\ndatabase: { path: vidimus.db }\n';
      await writeFile(join(state, 'config.yaml'), `server_name: example.org\n${config}${more}`);
      const script = readText('deploy/debian/postinst')
        .replaceAll(/\/usr\/(?:bin|lib)\/vidimus\b/g, (path) => inRoot(path))
        .replaceAll(/\/(?:run\/systemd\/system|etc\/vidimus|var\/lib\/vidimus)\b/g, state);
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const ended = spawnSync('sh', ['-c', script, 'postinst', 'configure', '0.0.9'], {
        encoding: 'utf8',
        env,
      });

      expect(ended.status).toBe(0);
      const said = 'daemon-reload\nis-active --quiet vidimus.service\n';
      expect(readFileSync(join(state, 'systemctl.log'), 'utf8')).toBe(`${said}${wanted}`);
      const isRefused = /gone[^]*not restarted[^]*systemctl restart vidimus/.test(ended.stderr);
      expect(isRefused).toBe(wanted === '');
      // Those of now and before; none goes while the service was not restarted.
      expect(readdirSync(inRoot('usr/lib/vidimus/run'))).toHaveLength(isRefused ? 3 : 2);
    },
  );

  it('leaves configuration and keys when it is removed, and the keys alone when it is purged', async (context) => {
    context.skip(deb === null, away);
    await writeFile(inRoot('var/lib/vidimus/signing.key'), 'key');

    dpkg('--remove', 'vidimus');
    expect(existsSync(inRoot('usr/lib/vidimus'))).toBe(false);
    expect(existsSync(inRoot(CONFIG))).toBe(true);

    expect(dpkg('--purge', 'vidimus')).toMatch(/\/var\/lib\/vidimus stays/);
    expect(existsSync(inRoot('etc/vidimus'))).toBe(false);
    expect(existsSync(inRoot('usr/bin/vidimus'))).toBe(false);
    expect(readFileSync(inRoot('var/lib/vidimus/signing.key'), 'utf8')).toBe('key');
  });
});
