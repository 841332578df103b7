// npm run bench: everything a fresh clone needs, then bench/main.ts in this process.
import './check-node.mjs';

const { prepare } = await import('./prepare.mjs');

prepare();
await import('./typescript.mjs');
await import('../bench/main.ts');
