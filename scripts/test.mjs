// npm test [-- FILTER …]: everything a fresh clone needs, then the whole suite. Last line: "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROOT, ensureBuilt, ensureGenerated, ensureInstalled } from './prepare.mjs';

ensureInstalled();
ensureGenerated();
ensureBuilt();

const folder = mkdtempSync(join(tmpdir(), 'vidimus-test-'));
const report = join(folder, 'report.json');
const vitest = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);

let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numFailedTestSuites: 0 };
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  counts.numFailedTests = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// A file that cannot even be loaded has no failed test of its own, yet must not count as success.
const failed = counts.numFailedTests + (counts.numFailedTests === 0 && vitest.status !== 0 ? 1 : 0);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
process.stdout.write(`${counts.numPassedTests} passed, ${failed} failed${skipped}\n`);
process.exitCode = vitest.status === 0 && failed === 0 ? 0 : 1;
