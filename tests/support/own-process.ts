import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

import { rolldown } from 'rolldown';

/** In the checkout, so that packages and migrations are found from there. */
const PARENT = 'node_modules/.cache';
/** Set by global-setup.ts for the processes that run tests. */
const FOLDER = 'VIDIMUS_TEST_PROGRAMS';

const bundled = new Map<string, Promise<string>>();

/** Makes the folder for the programs of this run; resolves to the function that removes it. */
export async function prepareProgramFolder(): Promise<() => Promise<void>> {
  await mkdir(PARENT, { recursive: true });
  const folder = await mkdtemp(join(PARENT, 'test-programs-'));
  process.env[FOLDER] = folder;
  return () => rm(folder, { recursive: true });
}

/**
 * A program of the tests that is run as a process of its own, with the sources it imports, as one file of JavaScript:
 * whoever starts it often does not translate them each time. `source` is a path from the checkout.
 */
export function programFile(source: string): Promise<string> {
  const file = bundled.get(source) ?? bundle(source);
  bundled.set(source, file);
  return file;
}

async function bundle(source: string): Promise<string> {
  const name = basename(source, '.ts');
  const parent = process.env[FOLDER];
  if (parent === undefined) throw new Error('tests/support/global-setup.ts has not run');
  // Other processes of vitest may run it already.
  const folder = await mkdtemp(join(parent, `${name}-`));
  const build = await rolldown({
    input: { [name]: `./${source}` },
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: /^[^./]/,
  });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', keepNames: true });
  await build.close();
  // What sources read beside themselves.
  await symlink(resolve('src/core/store/generated'), join(folder, 'generated'));
  return join(folder, `${name}.mjs`);
}
