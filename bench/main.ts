// npm run bench [-- SUITE …]: measures the built server on loopback and says which marks it reaches.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { benchKeys } from './cases/keys.js';
import { benchLog } from './cases/log.js';
import { benchPreviews } from './cases/previews.js';
import { benchTricks } from './cases/tricks.js';
import { benchServerList } from './lists/keys.js';
import { benchMediaList } from './lists/media.js';
import { benchPreviewList } from './lists/previews.js';
import { formatTable } from './support/report.js';
import type { ReportLine } from './support/report.js';

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
  ];
}

async function runSuite(name: string): Promise<ReportLine[]> {
  const suite = SUITES.get(name);
  if (suite === undefined)
    throw new Error(`there is no suite "${name}"; there are ${[...SUITES.keys()].join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), `vidimus-bench-${name}-`));
  try {
    return await suite(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
const startedMs = performance.now();
const lines: (ReportLine & { suite: string })[] = [];
const all = [...SUITES.keys()].filter((name) => !ASKED_FOR.has(name));
for (const name of asked.length === 0 ? all : asked) {
  for (const line of await runSuite(name)) lines.push({ suite: name, ...line });
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
