// npm run demo: everything a fresh clone needs, then the program with a world to look at.
import './check-node.mjs';

const { ROOT, prepare } = await import('./prepare.mjs');

prepare();

// In this very process, so that a signal reaches it.
process.chdir(ROOT);
// It leaves nothing behind, and a cache would be.
process.env.TSX_DISABLE_CACHE = '1';
const { register } = await import('tsx/esm/api');
register();
await import('../demo/main.ts');
