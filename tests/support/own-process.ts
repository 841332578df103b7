import { basename, join } from 'node:path';

import { rolldown } from 'rolldown';

/** In the checkout, so that packages and migrations are found from there. */
const FOLDER = 'node_modules/.cache/test-programs';

const bundled = new Map<string, Promise<string>>();

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
  // Other processes of vitest may run it already.
  const folder = join(FOLDER, `${name}-${process.pid}`);
  const build = await rolldown({
    input: { [name]: `./${source}` },
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: /^[^./]/,
  });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', keepNames: true });
  await build.close();
  return join(folder, `${name}.mjs`);
}
