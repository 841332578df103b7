#!/usr/bin/env node
import '../scripts/check-node.mjs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

import { errorOfBuild } from '../scripts/check-build.mjs';

// From Node 22 on a start need not compile what an earlier one has; nothing happens where the folder cannot be written.
module.enableCompileCache?.(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
const error = errorOfBuild();
if (error === null) {
  const { main } = await import('../dist/server/cli/main.js');
  await main(process.argv.slice(2));
} else {
  process.stderr.write(`vidimus: ${error}\n`);
  process.exitCode = 1;
}
// One of several workers (server.workers) ends like any other process: when nothing is left to do.
process.channel?.unref();
