// npm run soak [-- --minutes 15 --kills 50]: mixed load and faults on SQLite, then on PostgreSQL with object storage.
// Minutes and kills are those of each engine. Ends with 1 when an answer is wrong or lost, or something does not level
// off: docs/RELIABILITY.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readSoakOptions } from './options.js';
import { soak } from './soak.js';

// The client of object storage writes six lines about Node 20 otherwise.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const { engines, ...options } = readSoakOptions(process.argv.slice(2));
for (const engine of engines) {
  console.log(`=== ${engine}`);
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-soak-'));
  try {
    if (!(await soak({ engine, folder, ...options }))) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
