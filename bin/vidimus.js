#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/server/cli/main.js', import.meta.url);
if (existsSync(program)) {
  const { main } = await import(program.href);
  await main(process.argv.slice(2));
} else {
  process.stderr.write('vidimus is not built yet: run "npm start" or "npm run build" once\n');
  process.exitCode = 1;
}
