import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Command } from 'commander';

import { VERSION } from '../../config/version.js';
import { builtFolder, packageRoot } from '../../core/store/migration-files.js';
import { configOption, isTrial, requireConfig, type ConfigOption } from '../configuration.js';
import { print, printJson } from '../terminal.js';
import { addCommand, jsonOption } from './command.js';

export function addServeCommand(program: Command): void {
  addCommand(program, 'serve', {
    text: 'run the server until SIGTERM or SIGINT',
    notes: `Without a configuration the server is called localhost, keeps everything in ./data, listens on loopback only
and shows what to try. Logs go to standard output, one JSON object a line unless that is a terminal.
The first signal lets running requests finish, the second one ends the process at once.`,
    examples: ['', '-c /etc/vidimus/config.yaml'],
  })
    .addOption(configOption())
    .option('--no-retry', 'exit with 1 if the database is unreachable, instead of waiting for it')
    .action(serve);
}

async function serve(option: ConfigOption & { retry: boolean }): Promise<void> {
  const loaded = requireConfig(option);
  // Only this command needs the whole server; the others start in a fraction of the time without it.
  const { runService } = await import('../serve/run-service.js');
  await runService(loaded, {
    isTrial: isTrial(option, loaded),
    config: option.config ?? null,
    retry: option.retry,
  });
}

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
