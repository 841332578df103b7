// npm run bench: everything a fresh clone needs, then bench/main.ts in this process.
import './check-node.mjs';

const { prepare } = await import('./prepare.mjs');

prepare();
const { register } = await import('tsx/esm/api');
register();
await import('../bench/main.ts');
