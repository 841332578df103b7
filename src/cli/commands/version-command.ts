import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { VERSION } from '../../config/version.js';
import { builtFolder, packageRoot } from '../../core/store/migration/files.js';
import { print, printJson } from '../terminal/print.js';

export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('say what runs: version, commit, Node and folder')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ vidimus version
  $ vidimus version --json`,
    )
    .action(version);
}

function version({ json }: { json?: true }): void {
  const folder = packageRoot();
  const commit = builtCommit();
  if (json) printJson({ version: VERSION, commit, node: process.versions.node, folder });
  else {
    print(`vidimus ${VERSION}`, `commit  ${commit ?? 'unknown'}`);
    print(`node    ${process.versions.node}`, `folder  ${folder}`);
  }
}

/** The commit that the server was built from, as the build wrote it; `null` when it knew none. */
function builtCommit(): string | null {
  const file = join(builtFolder(), 'server', 'commit');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || null : null;
}
