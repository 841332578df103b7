// npm run bench [-- SUITE …]: everything a fresh clone needs, then the measurements.
import './check-node.mjs';

const { spawnSync } = await import('node:child_process');
const path = await import('node:path');
const { ROOT, prepare } = await import('./prepare.mjs');

await prepare();

const main = path.join(ROOT, 'bench', 'main.ts');
const bench = spawnSync(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = bench.status ?? 1;
