// npm start [-- --config FILE]: everything a fresh clone needs, then the server in this very process.
import './check-node.mjs';

const { ROOT, prepare } = await import('./prepare.mjs');
prepare();

// A named file counts from where the command was given, ./data from the checkout.
const args = process.argv.slice(2);
const hasConfig = process.env.VIDIMUS_CONFIG || args.some((arg) => /^(-c|--config(=|$))/.test(arg));
process.chdir(hasConfig ? (process.env.INIT_CWD ?? process.cwd()) : ROOT);

const { main } = await import('../dist/server/cli/main.js');
await main(['serve', ...args]);
