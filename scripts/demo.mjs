// npm run demo: everything a fresh clone needs, then the program with a world to look at.
import './check-node.mjs';

const { ROOT, prepare } = await import('./prepare.mjs');

prepare();

// In this very process, so that a signal reaches it.
process.chdir(ROOT);
await import('./typescript.mjs');
await import('../demo/main.ts');
