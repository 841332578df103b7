// npm run bench [-- SUITE …]: measures the built server on loopback and says which marks it reaches.
// npm run bench -- profile TASK: a flame graph of the server while it does one thing that users ask for.
// npm run bench -- parts TASK: what its processor time is made of, all threads.
// npm run bench -- scale [--most RECORDS] [--engine sqlite|postgresql] [--keep FOLDER] [--case PART]: how everything grows with what is stored.
// … --record: the results go into docs/bench, too.
// npm run bench -- --against REVISION [TASK …]: processor time of this build and of another revision's, in turns.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { benchAgainst } from './cases/against.js';
import { benchCopy } from './cases/copy.js';
import { benchInstances } from './cases/instances.js';
import { benchKeys } from './cases/keys.js';
import { benchLog } from './cases/log.js';
import { benchParts } from './cases/parts.js';
import { profileTask } from './cases/profile.js';
import { benchOneAddress } from './cases/one-address.js';
import { benchPreviews } from './cases/previews.js';
import { benchStart } from './cases/start.js';
import { benchEventFeed } from './lists/events.js';
import { benchFetches } from './lists/fetches.js';
import { benchHistory } from './lists/history.js';
import { benchHitsAndAudit } from './lists/hits-and-audit.js';
import { benchServerList } from './lists/keys.js';
import { benchMediaList } from './lists/media.js';
import { benchPreviewList } from './lists/previews.js';
import { readBenchOptions, type SuiteName } from './options.js';
import { benchScale } from './scale/scale.js';
import { commitToRecord, recordSuites } from './support/record.js';
import { formatTable, type ReportLine } from './support/report.js';

type Suite = (folder: string) => Promise<ReportLine[]>;

const options = readBenchOptions(process.argv.slice(2));

/** A suite measures one part of the service in a folder of its own. */
const SUITES: Readonly<Record<SuiteName, Suite>> = {
  keys: benchKeys,
  previews: benchPreviews,
  lists: benchLists,
  log: benchLog,
  copy: benchCopy,
  instances: benchInstances,
  start: benchStart,
  'one-address': benchOneAddress,
  scale: async (folder) => (options.kind === 'suites' ? benchScale(folder, options.scale) : []),
};

/** Operators' lists over a million rows each. */
async function benchLists(folder: string): Promise<ReportLine[]> {
  return [
    ...(await benchServerList(folder)),
    ...(await benchPreviewList(folder)),
    ...(await benchMediaList(folder)),
    ...(await benchHistory(folder)),
    ...(await benchFetches(folder)),
    ...(await benchHitsAndAudit(folder)),
    ...(await benchEventFeed(folder)),
  ];
}

/** A folder for as long as it works. */
async function inFolder<Result>(name: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), `vidimus-bench-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the suites in turn and says which marks were reached. */
async function runSuites(
  suites: readonly [string, Suite][],
  recordedAs: string | null = null,
): Promise<void> {
  // Before all else: a run takes minutes.
  const commit = recordedAs === null ? null : commitToRecord(ROOT);
  const [node, cores] = [process.version, availableParallelism()];
  const ran = new Map<string, { lines: ReportLine[]; seconds: number; node: string; cores: number }>();
  for (const [name, suite] of suites) {
    const startedMs = performance.now();
    const lines = await inFolder(name, suite);
    ran.set(name, { lines, seconds: Math.round((performance.now() - startedMs) / 1000), node, cores });
  }
  const lines = [...ran].flatMap(([suite, of]) => of.lines.map((line) => ({ suite, ...line })));
  const seconds = [...ran.values()].reduce((sum, of) => sum + of.seconds, 0);
  console.log(`\n${formatTable(lines)}\n\n${seconds} s, Node ${node}, ${cores} cores\n`);
  const report = JSON.stringify({ node, cores, seconds, lines });
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${report}\n`);
  console.log(report);
  if (commit !== null) console.log(recordSuites(ROOT, { commit, command: recordedAs ?? '' }, ran));
  process.exitCode = lines.some((line) => line.reached === false) ? 1 : 0;
}

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));
if (options.kind === 'profile') {
  const profile = (folder: string) => profileTask(folder, options.task, join(RESULTS, 'profile'));
  for (const page of await inFolder('profile', profile)) console.log(page);
} else if (options.kind === 'against') {
  const { revision, tasks } = options;
  await runSuites([['against', (folder) => benchAgainst(folder, revision, tasks)]]);
} else if (options.kind === 'parts') {
  const { task } = options;
  await runSuites([['parts', (folder) => benchParts(folder, task)]]);
} else {
  const { suites, recordedAs } = options;
  await runSuites(
    suites.map((name) => [name, SUITES[name]]),
    recordedAs,
  );
}
