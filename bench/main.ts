// npm run bench [-- SUITE …]: measures the built server on loopback and says which marks it reaches.
// npm run bench -- files: counts the source files whose code one request runs.
// npm run bench -- packages: counts what passes through each package. -- strangers: others beside 100 kB/s of invented names.
// npm run bench -- --against REVISION [TASK …]: this build and that of another revision, in turns: starts, idle memory,
// first previews, and the processor time of requests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { benchAgainst } from './cases/against.js';
import { benchFiles } from './cases/files.js';
import { benchPackages } from './cases/packages.js';
import { benchKeys } from './cases/keys.js';
import { benchPreviews } from './cases/previews.js';
import { measureStarts } from './cases/start.js';
import { benchStrangers } from './cases/strangers.js';
import { readBenchOptions, type SuiteName } from './options.js';
import { formatTable, type ReportLine } from './support/report.js';

type Suite = (folder: string) => Promise<ReportLine[]>;

/** A suite measures one part of the service in a folder of its own. */
const SUITES: Readonly<Record<SuiteName, Suite>> = {
  keys: benchKeys,
  previews: benchPreviews,
  start: (folder) => measureStarts(folder, [{ name: 'here' }]),
  files: benchFiles,
  packages: benchPackages,
  strangers: benchStrangers,
};
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));

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
async function runSuites(suites: readonly [string, Suite][]): Promise<void> {
  const lines: (ReportLine & { suite: string })[] = [];
  for (const [suite, run] of suites)
    lines.push(...(await inFolder(suite, run)).map((line) => ({ suite, ...line })));
  console.log(`\n${formatTable(lines)}\n\nNode ${process.version}, ${availableParallelism()} cores\n`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify({ node: process.version, lines })}\n`);
  process.exitCode = lines.some((line) => line.reached === false) ? 1 : 0;
}

const options = readBenchOptions(process.argv.slice(2));
if (options.kind === 'against') {
  const { revision, tasks } = options;
  await runSuites([['against', (folder) => benchAgainst(folder, revision, tasks)]]);
} else {
  await runSuites(options.suites.map((name) => [name, SUITES[name]]));
}
