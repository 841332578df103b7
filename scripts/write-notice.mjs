// npm run notice: writes NOTICE from the lockfile: what an installation brings along, with its licences.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from './prepare.mjs';

const HEAD = `Vidimus
Licensed under the Apache License, version 2.0 (see LICENSE).

The packages bundled into the program and into its pages are listed with the texts of their licences in
dist/server/LICENSES.md and dist/web-admin/LICENSES.md. The program holds the Public Suffix List, under the Mozilla
Public License 2.0 (MPL-2.0): see dist/server/LICENSES.md for where its source is.

These packages are installed beside it, each with its licence in its folder. Of those for other machines (optional)
only what fits this one is installed.
`;

/** The text of NOTICE. */
export function noticeText() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const lines = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license, optional }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return `${name} ${version}: ${license}${optional ? ' (optional)' : ''}`;
    });
  return `${HEAD}\n${[...new Set(lines)].sort().join('\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(join(ROOT, 'NOTICE'), noticeText());
