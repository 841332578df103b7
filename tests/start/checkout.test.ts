import { appendFile, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startVidimus, vidimus, writeConfig } from '../cli/vidimus.js';

const PARTS = [
  'bin',
  'packages',
  'prisma',
  'scripts',
  'src',
  'web-admin',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const BUILDS = { timeout: 180_000 };

/** A copy of this checkout with its packages, but never built. */
describe('npm start on a checkout that has never been built', BUILDS, () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'vidimus-checkout-'));
    for (const part of PARTS.filter((each) => existsSync(each)))
      await cp(part, join(root, part), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    await mkdir(join(root, 'place'));
    await writeConfig(join(root, 'place'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const start = async () => {
    // npm runs scripts in the checkout and leaves the folder of the caller in a variable.
    const env = { INIT_CWD: join(root, 'place') };
    const running = startVidimus(['--config', 'config.yaml'], {
      cwd: root,
      env,
      script: join(root, 'scripts/start.mjs'),
    });
    await running.log('ready');
    running.child.kill('SIGTERM');
    return running.finished;
  };
  const version = () => vidimus(['version'], { cwd: root, script: join(root, 'bin/vidimus.js') });

  it('is preceded by a command that says what is missing', async () => {
    expect(await version()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run build') as string,
    });
  });

  it('builds, starts, and ends on a signal', async () => {
    const { code, stderr } = await start();

    expect(code).toBe(0);
    expect(stderr).toContain('vidimus: building …');
    expect(await version()).toMatchObject({ code: 0, stderr: '' });
  });

  it('builds nothing the next time', async () => {
    expect(await start()).toMatchObject({ code: 0, stderr: '' });
  });

  it('builds again after a source has changed, and leaves the last build in place when that fails', async () => {
    await appendFile(join(root, 'src/cli/main.ts'), '\nexport const broken = ;\n');
    const failed = startVidimus(['--config', 'config.yaml'], {
      cwd: root,
      script: join(root, 'scripts/start.mjs'),
    });

    expect((await failed.finished).code).toBe(1);
    expect(await version()).toMatchObject({ code: 0 });
  });
});
