// Runs the tests with one Node, and counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ROOT } from './prepare.mjs';

/** What passed, failed and was skipped of the suite, or of what the arguments of vitest leave of it. */
export function runSuite(args, node = process.execPath) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vidimus-test-'));
  const report = path.join(folder, 'report.json');
  const vitest = spawnSync(
    node,
    [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    { cwd: ROOT, stdio: 'inherit', env: withNode(node) },
  );
  let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    counts.numFailedTests = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, testResults } = counts;
  return {
    passed,
    // A file that cannot even be loaded has no failed test of its own, yet must not count as success.
    failed: failed === 0 && vitest.status !== 0 ? 1 : failed,
    skipped,
    failures: testResults.filter(({ status }) => status === 'failed').flatMap(failuresOf),
  };
}

/** The failed tests of a file, or what kept it from being loaded, a line each. */
function failuresOf({ name, message, assertionResults }) {
  const file = path.relative(ROOT, name);
  const lineOf = (what, text) => `FAILED ${file}: ${what}: ${messageOf(text)}`;
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return [lineOf('cannot be loaded', message)];
  return failed.map(({ fullName, failureMessages }) => lineOf(fullName, failureMessages[0] ?? ''));
}

/** An error's message without its stack, in one line. */
function messageOf(text) {
  const [message] = text.split(/\n\s+at /, 1);
  return message.replaceAll(/\s+/g, ' ').slice(0, 600);
}

/** Programs that tests start by name are this Node's, too; what is for production is no matter here. */
function withNode(node) {
  return {
    ...process.env,
    NODE_ENV: 'test',
    PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}`,
  };
}

/** Says what failed, and the sum of some runs, as `N passed, N failed` in the last line, and makes it the exit code. */
export function tellSum(runs) {
  const sumOf = (kind) => runs.reduce((sum, counts) => sum + counts[kind], 0);
  for (const line of runs.flatMap(({ failures = [] }) => failures)) process.stdout.write(`${line}\n`);
  if (sumOf('skipped') > 0) process.stdout.write(`${sumOf('skipped')} skipped\n`);
  process.stdout.write(`${sumOf('passed')} passed, ${sumOf('failed')} failed\n`);
  process.exitCode = sumOf('failed') === 0 && runs.length > 0 ? 0 : 1;
}
