// npm run test:nodes: the whole suite on every Node we claim. With --ci: all of it on this Node, and a tenth of it on
// the newest. Last line: "N passed, N failed", the sum. What cannot be had from the registry is left out aloud.
import './check-node.mjs';

const { nodeProgram, plannedRuns } = await import('./other-nodes.mjs');
const { prepare } = await import('./prepare.mjs');
const { runSuite, tellSum } = await import('./suite.mjs');
const { tenthOfTests } = await import('./tenth-of-tests.mjs');

/** Null, said aloud, when this version cannot be had. */
function programOf(version) {
  try {
    return version === process.versions.node ? process.execPath : nodeProgram(version);
  } catch (error) {
    told.push(`Node ${version}: LEFT OUT, it cannot be had: ${error.message}`);
    return null;
  }
}

await prepare();
const files = { all: [], tenth: tenthOfTests() };
const runs = [];
const told = [];
for (const { version, part } of plannedRuns(process.versions.node, process.argv.includes('--ci'))) {
  const node = programOf(version);
  if (node === null) continue;
  const what = `Node ${version}, ${part === 'all' ? 'all tests' : 'a tenth of the tests'}`;
  process.stdout.write(`\n=== ${what}\n`);
  const counts = runSuite(files[part], node);
  runs.push(counts);
  told.push(`${what}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
}
process.stdout.write(`\n${told.join('\n')}\n`);
tellSum(runs);
