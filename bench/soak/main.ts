// npm run soak [-- --minutes 10 --kills 100]: mixed load and faults on SQLite, then on PostgreSQL with object storage.
// Half of the minutes each. Ends with 1 when an answered record or preview is lost, or something does not level off.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { causeFaults, killOften, pause } from './faults.js';
import { Ledger } from './ledger.js';
import { Load } from './load.js';
import { Vitals } from './vitals.js';
import { SoakWorld, type Engine } from './world.js';

const ENGINES: readonly Engine[] = ['sqlite', 'postgresql'];
const MINUTE_MS = 60_000;
const REST_MS = 3000;

// The client of object storage writes six lines about Node 20 otherwise.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    kills: { type: 'string', default: '100' },
    engine: { type: 'string' },
  },
});
const engines = ENGINES.filter((engine) => values.engine === undefined || values.engine === engine);
if (engines.length === 0)
  throw new Error(`there is no engine "${values.engine}"; there are ${ENGINES.join(', ')}`);

for (const engine of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'vidimus-soak-'));
  try {
    if (!(await soak(folder, engine))) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints what came of it; whether all is well. */
async function soak(folder: string, engine: Engine): Promise<boolean> {
  const world = await SoakWorld.start(folder, engine);
  try {
    const ledger = new Ledger();
    const load = new Load(world, ledger);
    const vitals = new Vitals(world);
    load.start();
    vitals.start();
    const untilMs = performance.now() + (Number(values.minutes) * MINUTE_MS) / engines.length;
    const faults = await causeFaults(world, load, untilMs);
    vitals.end();
    const kills = Math.ceil(Number(values.kills) / engines.length);
    await killOften(world, load, kills);
    await load.end();
    await pause(REST_MS);
    const [keys, previews] = [ledger.answered('key').length, ledger.answered('preview').length];
    const kept = await load.askAllAgain();
    const { text, isLevel } = vitals.levels();
    console.log(`\n=== ${engine}`);
    console.table(ledger.counts());
    console.log(`faults: ${JSON.stringify({ ...faults, 'kill -9': kills })}`);
    for (const sentence of world.leftOut) console.log(`LEFT OUT: ${sentence}`);
    console.log(`${isLevel ? 'levelled off' : 'GREW'}: ${text}`);
    console.log(`answered: ${keys} records, ${previews} previews; kept: ${kept} of ${keys + previews}`);
    for (const what of ledger.wrong) console.log(`WRONG: ${what}`);
    return isLevel && ledger.wrong.length === 0 && kept === keys + previews;
  } finally {
    await world.end();
  }
}
