// Whether the built server is there and made of the sources beside it. Part of the package, which has no sources.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { stampOf } from './source-stamp.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** What the server is made of, from the folder of the checkout. */
export const SERVER_SOURCES = [
  'src',
  'scripts/bundle-server.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];

/** The same of the web UI. */
export const WEB_UI_SOURCES = [
  'web-admin',
  'scripts/generate-ui.mjs',
  'scripts/prepare.mjs',
  'package-lock.json',
];

/** One sentence when dist/server cannot be run as it is; else `null`. An old build would apply newer migrations. */
export function errorOfBuild() {
  const folder = join(ROOT, 'dist', 'server');
  if (!existsSync(join(folder, 'cli', 'main.js')))
    return 'it is not built yet: run "npm start" or "npm run build" once';
  if (!existsSync(join(ROOT, 'src'))) return null;
  const stamp = join(folder, '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(ROOT, SERVER_SOURCES)) return null;
  return 'dist was built from other sources than those beside it: run "npm run build"';
}
