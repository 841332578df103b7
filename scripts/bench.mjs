// npm run bench [-- SUITE …]: everything a fresh clone needs, then the measurements.
import { join } from 'node:path';

import { ROOT, ensureBuilt, ensureGenerated, ensureInstalled, run } from './prepare.mjs';

ensureInstalled();
ensureGenerated();
ensureBuilt();
run(process.execPath, ['--import', 'tsx', join(ROOT, 'bench', 'main.ts'), ...process.argv.slice(2)]);
