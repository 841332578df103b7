// npm run bench [-- SUITE …]: measures the built server on loopback and says which marks it reaches.
// npm run bench -- --against REVISION: processor time of this build and of another revision's, in turns.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { benchAgainst } from './cases/against.js';
import { benchKeys } from './cases/keys.js';
import { benchLog } from './cases/log.js';
import { benchPreviews } from './cases/previews.js';
import { benchTricks } from './cases/tricks.js';
import { benchHistory } from './lists/history.js';
import { benchServerList } from './lists/keys.js';
import { benchMediaList } from './lists/media.js';
import { benchPreviewList } from './lists/previews.js';
import { formatTable, type ReportLine } from './support/report.js';

/** A suite measures one part of the service in a folder of its own. */
const SUITES = new Map<string, (folder: string) => Promise<ReportLine[]>>([
  ['keys', benchKeys],
  ['previews', benchPreviews],
  ['lists', benchLists],
  ['log', benchLog],
  ['tricks', benchTricks],
]);
/** These take many minutes, so only when they are asked for. */
const ASKED_FOR = new Set(['log', 'tricks']);

/** Operators' lists over a million rows each. */
async function benchLists(folder: string): Promise<ReportLine[]> {
  return [
    ...(await benchServerList(folder)),
    ...(await benchPreviewList(folder)),
    ...(await benchMediaList(folder)),
    ...(await benchHistory(folder)),
  ];
}

function suiteOf(name: string): (folder: string) => Promise<ReportLine[]> {
  const suite = SUITES.get(name);
  if (suite !== undefined) return suite;
  throw new Error(`there is no suite "${name}"; there are ${[...SUITES.keys()].join(', ')}`);
}

async function runSuite(
  name: string,
  suite: (folder: string) => Promise<ReportLine[]>,
): Promise<ReportLine[]> {
  const folder = mkdtempSync(join(tmpdir(), `vidimus-bench-${name}-`));
  try {
    return await suite(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' } },
});
const { against } = values;
const startedMs = performance.now();
const lines: (ReportLine & { suite: string })[] = [];
const all = [...SUITES.keys()].filter((name) => !ASKED_FOR.has(name));
const names = against !== undefined || asked.length > 0 ? asked : all;
const suites = names.map((name): [string, (folder: string) => Promise<ReportLine[]>] => [
  name,
  suiteOf(name),
]);
if (against !== undefined) suites.push(['against', (folder) => benchAgainst(folder, against)]);
for (const [name, suite] of suites) {
  for (const line of await runSuite(name, suite)) lines.push({ suite: name, ...line });
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(
  `\n${formatTable(lines)}\n\n${seconds} s, Node ${process.version}, ${availableParallelism()} cores\n`,
);

const report = JSON.stringify({ node: process.version, cores: availableParallelism(), seconds, lines });
const results = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'latest.json'), `${report}\n`);
console.log(report);
process.exitCode = lines.some((line) => line.reached === false) ? 1 : 0;
