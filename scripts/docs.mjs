// npm run docs: writes what docs/ holds of the program (tests hold that it is current), then the pages into dist/docs.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { register } from 'tsx/esm/api';

import { ROOT } from './prepare.mjs';

register();
const { generatedFiles } = await import('./docs/generated.ts');
const { buildSite } = await import('./docs/site/build-site.ts');
for (const [path, text] of generatedFiles()) {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), text);
}
const { pages, folder } = await buildSite(ROOT, join(ROOT, 'dist/docs'));
console.log(`${pages} pages in ${folder}; open index.html, no server needed`);
