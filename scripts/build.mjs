// npm run build: packages, generated clients, compiled server; skips what is done.
import './check-node.mjs';

const { prepare } = await import('./prepare.mjs');
await prepare();
