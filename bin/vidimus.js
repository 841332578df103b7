#!/usr/bin/env node
import '../scripts/check-node.mjs';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/server/cli/main.js', import.meta.url);
if (existsSync(program)) {
  // From Node 22 on a start need not compile what an earlier one has: a tenth of its processor time. It does nothing
  // where the folder cannot be written, and NODE_DISABLE_COMPILE_CACHE=1 turns it off.
  module.enableCompileCache?.(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
  const { main } = await import(program.href);
  await main(process.argv.slice(2));
} else {
  process.stderr.write('vidimus: not built yet: run "npm start" or "npm run build" once\n');
  process.exitCode = 1;
}
