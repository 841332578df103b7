#!/usr/bin/env node
import '../scripts/check-node.mjs';
import { errorOfBuild } from '../scripts/check-build.mjs';

const error = errorOfBuild();
if (error === null) {
  const { main } = await import('../dist/server/cli/main.js');
  await main(process.argv.slice(2));
} else {
  process.stderr.write(`vidimus: ${error}\n`);
  process.exitCode = 1;
}
