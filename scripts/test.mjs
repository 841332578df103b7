// npm test [-- FILTER …]: everything a fresh clone needs, then the whole suite. Last line: "N passed, N failed".
import './check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = await import('node:fs');
const { tmpdir } = await import('node:os');
const path = await import('node:path');
const { ROOT, prepare } = await import('./prepare.mjs');

await prepare();

const folder = mkdtempSync(path.join(tmpdir(), 'vidimus-test-'));
const report = path.join(folder, 'report.json');
const vitest = spawnSync(
  process.execPath,
  [
    path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);

let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  counts.numFailedTests = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// A file that cannot even be loaded has no failed test of its own, yet must not count as success.
const failed = counts.numFailedTests + (counts.numFailedTests === 0 && vitest.status !== 0 ? 1 : 0);
if (counts.numPendingTests > 0) process.stdout.write(`${counts.numPendingTests} skipped\n`);
process.stdout.write(`${counts.numPassedTests} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
