// npm test [-- FILE …]: unit tests, all others on SQLite, a share of them on PostgreSQL.
// npm run test:all: also everything on PostgreSQL, builds, packages, kills, the plain reading of pages, other Nodes.
// .ci/run (--ci): npm test, and a fixed share of the rest.
// Prints the ten slowest tests, what failed, and last "N passed, N failed". vitest's report stays in dist/tests.
import './check-node.mjs';

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const { ROOT, prepare } = await import('./prepare.mjs');

const USUAL = ['unit', 'integration', 'postgresql', 'bounds'];
const MORE = ['extra', 'second-engine', 'standard'];
/** The share of the rest that every run of .ci/run has. */
const CI_SHARE = [
  'tests/start',
  'tests/deploy',
  'tests/crash/kill-9',
  'tests/crash/log-kill-9',
  'tests/crash/preview-disk-full',
  'tests/config/output/prox',
];
/** The newest of each major that package.json names; this Node stands for its own. */
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.12.1'];
/** Run on other Nodes: what depends on Node most. */
const NODE_SHARE = ['tests/cli/serve', 'tests/core/store', 'tests/core/net', 'tests/rest/peers'];

const args = process.argv.slice(2);
const isAll = args.includes('--all');
const isCi = args.includes('--ci');
const filters = args.filter((arg) => arg !== '--all' && arg !== '--ci');

prepare();
const folder = join(ROOT, 'dist/tests');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const runs = [];
if (isAll) runs.push(runTests('all', [...USUAL, ...MORE], filters));
else if (filters.length > 0) runs.push(runTests('chosen', [...USUAL, 'extra'], filters));
else runs.push(runTests('usual', USUAL, []));
if (isCi) runs.push(runTests('share', ['extra'], CI_SHARE));
const isOther = (version) => version.split('.')[0] !== process.versions.node.split('.')[0];
const nodes = isAll ? NODES.filter(isOther) : isCi ? NODES.slice(-1).filter(isOther) : [];
for (const version of nodes)
  runs.push(runTests(`node-${version}`, ['unit', 'integration'], NODE_SHARE, version));
report(
  runs.flatMap(({ files }) => files),
  runs,
);

/**
 * Runs vitest, perhaps on another Node, which npm fetches; gives the results by file.
 *
 * @param {string | null} node
 */
function runTests(name, projects, chosen, node = null) {
  process.stdout.write(`\n=== ${name}: ${projects.join(', ')} ${chosen.join(' ')}\n`);
  const file = join(folder, `${name}.json`);
  const vitest = [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...projects.map((project) => `--project=${project}`),
    ...chosen,
  ];
  const npx = ['--yes', `--package=node-${process.platform}-${process.arch}@${node}`, '--', 'node'];
  const [command, first] = node === null ? [process.execPath, []] : ['npx', npx];
  if (node !== null && spawnSync(command, [...first, '--version'], { cwd: ROOT }).status !== 0) {
    process.stdout.write(`LEFT OUT: Node ${node} cannot be fetched\n`);
    return { files: [], failed: 0 };
  }
  // Programs that tests start by name are of this Node, too.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, NODE_ENV: 'test', ...(node === null ? { PATH: path } : {}) };
  const { status } = spawnSync(command, [...first, ...vitest], { cwd: ROOT, stdio: 'inherit', env });
  const files = resultsIn(file);
  // A file that cannot be loaded or tidied up has no failed test of its own.
  const hasFailed = files.some((each) => each.assertionResults.some((test) => test.status === 'failed'));
  return { files, failed: status !== 0 && !hasFailed ? 1 : 0 };
}

function resultsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return [];
  }
}

function report(files, all) {
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(ROOT, name) })),
  );
  const withStatus = (status) => tests.filter((test) => test.status === status);
  process.stdout.write('\nslowest tests:\n');
  for (const { duration = 0, file, fullName } of tests
    .sort((a, b) => (b.duration ?? 0) - (a.duration ?? 0))
    .slice(0, 10))
    process.stdout.write(`${(duration / 1000).toFixed(1).padStart(6)} s  ${file}: ${fullName}\n`);
  // A file that cannot be loaded, or what runs before and after its tests.
  for (const { name, message } of files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ))
    process.stdout.write(`FAILED ${relative(ROOT, name)}: ${message.slice(0, 600)}\n`);
  for (const { file, fullName, failureMessages } of withStatus('failed'))
    process.stdout.write(
      `FAILED ${file}: ${fullName}: ${failureMessages[0]?.split(/\n\s+at /)[0].slice(0, 600)}\n`,
    );
  const failed = withStatus('failed').length + all.reduce((sum, run) => sum + run.failed, 0);
  const skipped = tests.length - withStatus('passed').length - withStatus('failed').length;
  if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
  process.stdout.write(`${withStatus('passed').length} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
