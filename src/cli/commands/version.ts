import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';

import { VERSION } from '../../config/version.js';
import { builtFolder, packageRoot } from '../../core/store/migration/files.js';
import { print, printJson } from '../terminal.js';
import { addCommand, jsonOption } from './command.js';

export function addVersionCommand(program: Command): void {
  addCommand(program, 'version', {
    text: 'show version, commit, Node version and folder',
    examples: ['', '--json'],
  })
    .addOption(jsonOption())
    .action(version);
}

function version({ json }: { json?: true }): void {
  const file = join(builtFolder(), 'server', 'commit');
  const commit = (existsSync(file) && readFileSync(file, 'utf8').trim()) || null;
  const said = { version: VERSION, commit, node: process.versions.node, folder: packageRoot() };
  if (json) printJson(said);
  else
    print(
      `vidimus ${VERSION}`,
      `commit  ${commit ?? 'unknown'}`,
      `node    ${said.node}`,
      `folder  ${said.folder}`,
    );
}
