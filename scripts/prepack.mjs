// Before npm pack: builds, and lays out what goes into the package.
import './check-node.mjs';

const { layOut, prepare } = await import('./prepare.mjs');
await prepare();
await layOut();
