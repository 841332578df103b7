// npm start [-- --config FILE]: everything a fresh clone needs, then the server in this very process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT, ensureBuilt, ensureGenerated, ensureInstalled } from './prepare.mjs';

ensureInstalled();
ensureGenerated();
ensureBuilt();
const { main } = await import(pathToFileURL(join(ROOT, 'dist', 'server', 'cli', 'main.js')).href);
await main(['serve', ...process.argv.slice(2)]);
