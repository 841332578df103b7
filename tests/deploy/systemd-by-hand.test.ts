import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { follow, plainEnvironment, temporaryFolder, type Running } from '../cli/vidimus.js';
import { blocksOf } from '../docs/page-commands.js';
import { registryIsAway } from './staged.js';
import { programMissing, unitValues } from './unit-file.js';

const APART = ['--mount', '--propagation', 'private'];
const [BLOCK = ''] = blocksOf('docs/INSTALL.md#systemd without the package');

/** A root of its own, $1: this machine's, of which nothing is changed. Gone with the processes in it. */
const OWN_ROOT = `
mount -t tmpfs tmpfs "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"`;

/** The words of INSTALL, in the checkout of $2; then what is left to be looked at, and the service as the unit starts it. */
const INSTALLED = `set -eu
{ ${OWN_ROOT}
for place in /proc /dev /sys "$2"; do mkdir -p "$1/root$place"; mount --rbind "$place" "$1/root$place"; done
# Only systemd itself could do that.
rm -f "$1/root/usr/bin/systemctl"
printf '#!/bin/sh\\necho "asked: systemctl $*"\\n' > "$1/root/usr/bin/systemctl"
chmod 0755 "$1/root/usr/bin/systemctl"
chroot "$1/root" sh -euc "cd '$2' && $BLOCK"
chroot "$1/root" stat -c 'made: %n %U %G %a' /var/lib/vidimus /etc/vidimus/config.yaml /usr/bin/vidimus
chroot "$1/root" systemd-analyze verify vidimus.service && echo 'verified'
} >&2
exec chroot "$1/root" setpriv --reuid="$SERVICE_USER" --regid="$SERVICE_USER" --clear-groups sh -c 'cd "$0" && umask "$1" && exec $2' "$WORKING" "$MASK" "$START"`;

/** Why it cannot be run here; `null` where it can. */
function whyNot(): string | null {
  const missing = programMissing('systemd-sysusers', 'systemd');
  if (missing !== null) return missing;
  const tried = spawnSync('unshare', [...APART, 'sh', '-euc', OWN_ROOT, 'sh', resolve('tests/deploy')]);
  return tried.status === 0 ? null : 'skipped: only root can lay a file system over this one';
}

const missing = whyNot();
describe.runIf(missing === null)(`systemd without the package, as INSTALL has it ${missing ?? ''}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: Running;
  let isAway: string | null = null;
  beforeAll(async () => {
    folder = await temporaryFolder();
    // Without the other allocator: where its package is missing, each program says so.
    const words = unitValues('Environment').flatMap((line) => line.split(' '));
    const env = {
      ...plainEnvironment(),
      ...Object.fromEntries(words.map((pair) => pair.split('=')).filter(([name]) => name !== 'LD_PRELOAD')),
      BLOCK,
      SERVICE_USER: unitValues('User')[0],
      WORKING: unitValues('WorkingDirectory')[0],
      MASK: unitValues('UMask')[0],
      START: unitValues('ExecStart')[0],
      VIDIMUS__SERVER_NAME: 'notary.test',
      VIDIMUS__LISTENERS: '[{port: 0, resources: [keys, health]}]',
    };
    const args = [...APART, 'sh', '-c', INSTALLED, 'sh', folder.path, resolve('.')];
    running = follow(spawn('unshare', args, { env }));
    await running.log('ready').catch((error: unknown) => {
      isAway = registryIsAway(running.stderr());
      if (isAway === null) throw error;
    });
  });
  afterAll(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
    await folder.remove();
  });

  it('makes the user, gives him his folder and configuration, and has systemd read the unit', (context) => {
    context.skip(isAway !== null, isAway ?? '');
    const said = running.stderr();

    expect([...said.matchAll(/^made: (.*)$/gm)].map(([, made]) => made)).toEqual([
      '/var/lib/vidimus vidimus vidimus 700',
      '/etc/vidimus/config.yaml root vidimus 640',
      '/usr/bin/vidimus root root 777',
    ]);
    expect(said).toContain('asked: systemctl daemon-reload\n');
    expect(said).toMatch(/777\nverified$/m);
  });

  it('serves as that user what the unit starts, and stops', async (context) => {
    context.skip(isAway !== null, isAway ?? '');
    const url = await running.url('keys');
    const [ready, keys] = await Promise.all([
      fetch(`${url}/health/ready`),
      fetch(`${url}/_svc/key/v2/query/notary.test`),
    ]);
    const answer: unknown = await keys.json();
    running.child.kill('SIGTERM');

    expect(ready.status).toBe(200);
    expect(answer).toMatchObject({ server_keys: [{ server_name: 'notary.test' }] });
    expect(running.stdout()).not.toContain('runs as root');
    expect((await running.finished).code).toBe(0);
  });
});
