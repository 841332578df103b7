// npm run bench, npm run soak: everything a fresh clone needs, then the program of bench/ that is named first.
import './check-node.mjs';

const { spawnSync } = await import('node:child_process');
const path = await import('node:path');
const { ROOT, prepare } = await import('./prepare.mjs');

prepare();

const [program = '', ...args] = process.argv.slice(2);
const run = spawnSync(process.execPath, ['--import', 'tsx', path.join(ROOT, 'bench', program), ...args], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = run.status ?? 1;
