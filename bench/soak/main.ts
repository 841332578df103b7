// npm run soak [-- --minutes 15 --kills 50]: mixed load and faults on SQLite, then on PostgreSQL with object storage.
// Minutes and kills are those of each engine. Ends with 1 when an answer is wrong or lost, or something does not level
// off: docs/RELIABILITY.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { soak } from './soak.js';
import type { Engine } from './world.js';

const ENGINES: readonly Engine[] = ['sqlite', 'postgresql'];
const SECOND_MS = 1000;

// The client of object storage writes six lines about Node 20 otherwise.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    kills: { type: 'string', default: '50' },
    engine: { type: 'string' },
    series: { type: 'string' },
    'fault-seconds': { type: 'string', default: '5' },
    'recovery-seconds': { type: 'string', default: '20' },
    'calm-seconds': { type: 'string', default: '10' },
  },
});
const engines = ENGINES.filter((engine) => values.engine === undefined || values.engine === engine);
if (engines.length === 0)
  throw new Error(`there is no engine "${values.engine}"; there are ${ENGINES.join(', ')}`);
const [minutes, kills] = [Number(values.minutes), Number(values.kills)];
const pace = {
  awayMs: Number(values['fault-seconds']) * SECOND_MS,
  recoveryMs: Number(values['recovery-seconds']) * SECOND_MS,
  calmMs: Number(values['calm-seconds']) * SECOND_MS,
};

for (const engine of engines) {
  console.log(`=== ${engine}`);
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-soak-'));
  try {
    if (!(await soak({ engine, folder, minutes, kills, pace, series: values.series }))) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
