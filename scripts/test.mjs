// npm test [-- FILTER …]: everything a fresh clone needs, then the whole suite. Last line: "N passed, N failed".
import './check-node.mjs';

const { prepare } = await import('./prepare.mjs');
const { runSuite, tellSum } = await import('./suite.mjs');

await prepare();
tellSum([runSuite(process.argv.slice(2))]);
