import { copyFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { causeFaults, killOften } from './faults.js';
import { Ledger } from './ledger.js';
import { Load } from './load.js';
import type { Pace } from './outage.js';
import { judge, judgeAfterKills, type Finding, type Sample } from './verdict.js';
import { Vitals } from './vitals.js';
import { SoakWorld, type Engine } from './world.js';

const MINUTE_MS = 60_000;
const REST_MS = 3000;

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

/** What came of a soak. */
interface Outcome {
  faults: Record<string, number>;
  findings: Finding[];
  /** Records and previews that were answered, and how many of both are still there. */
  keys: number;
  previews: number;
  kept: number;
}

async function soakWorld(world: SoakWorld, options: SoakOptions): Promise<boolean> {
  const ledger = new Ledger();
  const load = new Load(world, ledger, options.pace.recoveryMs);
  load.start();
  await load.begun();
  const { faults, samples } = await observeFaults(world, load, options);
  const workNow = async () => ({
    names: load.names,
    downloads: await world.downloads(),
    starts: world.starts,
  });
  const findings = judge(samples, await workNow());
  await killOften(world, load, options.kills);
  await load.end();
  await pause(REST_MS);
  findings.push(...judgeAfterKills(samples, { work: await workNow(), leftovers: await world.leftovers() }));
  const [keys, previews] = [ledger.answered('key').length, ledger.answered('preview').length];
  world.stopOrigins();
  const kept = await load.askAllAgain();
  report({ world, ledger, options }, { faults, findings, keys, previews, kept });
  console.log(`while nothing was wrong: ${load.calm} answers`);
  const problems = [
    ...findings.filter(({ problem }) => problem !== '').map(({ figure, problem }) => `${figure}: ${problem}`),
    ...ledger.wrong,
    ...(load.calm === 0 ? ['nothing was answered while nothing was wrong'] : []),
    ...(kept === keys + previews && keys > 0 && previews > 0 ? [] : ['not all that was answered is kept']),
  ];
  return conclude(world, problems);
}

async function observeFaults(
  world: SoakWorld,
  load: Load,
  { minutes, pace, series }: SoakOptions,
): Promise<{ faults: Record<string, number>; samples: readonly Sample[] }> {
  const vitals = new Vitals(world);
  vitals.start();
  const untilMs = performance.now() + minutes * MINUTE_MS;
  const faults = await causeFaults(world, load, { pace, untilMs });
  vitals.end();
  const { samples } = vitals;
  if (series !== undefined) writeFileSync(series, samples.map((sample) => JSON.stringify(sample)).join('\n'));
  return { faults, samples };
}

function report(
  { world, ledger, options }: { world: SoakWorld; ledger: Ledger; options: SoakOptions },
  { faults, findings, keys, previews, kept }: Outcome,
): void {
  console.table(ledger.counts());
  console.log(`faults: ${JSON.stringify({ ...faults, 'kill -9': options.kills })}`);
  for (const sentence of world.leftOut) console.log(`LEFT OUT: ${sentence}`);
  printFindings(findings);
  console.log(`answered: ${keys} records, ${previews} previews; kept: ${kept} of ${keys + previews}`);
}

/** Whether all is well. */
function conclude(world: SoakWorld, problems: readonly string[]): boolean {
  for (const what of problems) console.log(`WRONG: ${what}`);
  console.log(problems.length === 0 ? 'SOAK: all is well' : `SOAK: ${problems.length} problems`);
  if (problems.length === 0) return true;
  const log = join(tmpdir(), `vidimus-soak-${world.engine}.log`);
  copyFileSync(world.log, log);
  console.log(`the server's log: ${log}`);
  return false;
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
