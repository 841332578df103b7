import { copyFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { causeFaults, killOften } from './faults.js';
import { Ledger } from './ledger.js';
import { Load } from './load.js';
import type { Pace } from './outage.js';
import { judge, judgeAfterKills, type Finding } from './verdict.js';
import { Vitals } from './vitals.js';
import { SoakWorld, type Engine } from './world.js';

const MINUTE_MS = 60_000;
const REST_MS = 3000;
/** Of the last soak that found something. */
const KEPT_LOG = join(tmpdir(), 'vidimus-soak.log');

export interface SoakOptions {
  engine: Engine;
  /** New and empty; the server's data go here. */
  folder: string;
  /** Of faults; the kills come behind them. */
  minutes: number;
  kills: number;
  /** The looks at the server are written there, one JSON a line. */
  series?: string | undefined;
  pace: Pace;
}

/** Prints what came of it; whether all is well. */
export async function soak(options: SoakOptions): Promise<boolean> {
  const world = await SoakWorld.start(options.folder, options.engine);
  try {
    return await soakWorld(world, options);
  } finally {
    await world.end();
  }
}

async function soakWorld(world: SoakWorld, { minutes, kills, pace, series }: SoakOptions): Promise<boolean> {
  const ledger = new Ledger();
  const load = new Load(world, ledger, pace.recoveryMs);
  const vitals = new Vitals(world);
  load.start();
  vitals.start();
  const untilMs = performance.now() + minutes * MINUTE_MS;
  const faults = await causeFaults(world, load, { pace, untilMs });
  vitals.end();
  if (series !== undefined)
    writeFileSync(series, vitals.samples.map((sample) => JSON.stringify(sample)).join('\n'));
  const findings = judge(vitals.samples, { names: load.names, downloads: await world.downloads() });
  await killOften(world, load, kills);
  await load.end();
  await pause(REST_MS);
  findings.push(
    ...judgeAfterKills(vitals.samples, {
      work: { names: load.names, downloads: await world.downloads() },
      leftovers: { ...(await world.leftovers()), atMs: performance.now() },
    }),
  );
  const [keys, previews] = [ledger.answered('key').length, ledger.answered('preview').length];
  world.stopOrigins();
  const kept = await load.askAllAgain();
  console.table(ledger.counts());
  console.log(`faults: ${JSON.stringify({ ...faults, 'kill -9': kills })}`);
  for (const sentence of world.leftOut) console.log(`LEFT OUT: ${sentence}`);
  printFindings(findings);
  console.log(`while nothing was wrong: ${load.calm} answers`);
  console.log(`answered: ${keys} records, ${previews} previews; kept: ${kept} of ${keys + previews}`);
  const problems = [
    ...findings.filter(({ problem }) => problem !== '').map(({ figure, problem }) => `${figure}: ${problem}`),
    ...ledger.wrong,
    ...(load.calm === 0 ? ['nothing was answered while nothing was wrong'] : []),
    ...(kept === keys + previews && keys > 0 && previews > 0 ? [] : ['not all that was answered is kept']),
  ];
  for (const what of problems) console.log(`WRONG: ${what}`);
  console.log(problems.length === 0 ? 'SOAK: all is well' : `SOAK: ${problems.length} problems`);
  if (problems.length > 0) {
    copyFileSync(world.log, KEPT_LOG);
    console.log(`the log: ${KEPT_LOG}`);
  }
  return problems.length === 0;
}

function printFindings(findings: readonly Finding[]): void {
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  const line = ({ before, last, problem }: Finding) => ({
    before: rounded(before),
    last: rounded(last),
    verdict: problem === '' ? 'level' : problem,
  });
  console.table(Object.fromEntries(findings.map((finding) => [finding.figure, line(finding)])));
}
