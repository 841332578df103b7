import { basename, dirname, join, relative, resolve } from 'node:path';

import { shellWord, type CommandLine } from '../core/base/text/command-line.js';

/** How this process was started. */
export interface Invocation {
  /** The script that Node runs, absolute. */
  script: string;
  cwd: string;
  /** The configuration file as it was named; `null`: none. */
  config: string | null;
}

/** How commands are typed for a service that was started so, from any folder of this machine. */
export function commandLineOf({ script, cwd, config }: Invocation): CommandLine {
  const program = programOf(script, shellWord);
  // Without a configuration everything is below ./data of this folder.
  if (config === null) return { program: `cd ${shellWord(cwd)} && ${program}`, options: '' };
  return { program, options: `--config ${shellWord(resolve(cwd, config))}` };
}

/** How commands are typed for the service of this process's own command line. */
export function ownCommandLine({ config = null }: { config?: string | null }): CommandLine {
  return commandLineOf({ script: process.argv[1] ?? '', cwd: process.cwd(), config });
}

/** The same for the folder it was started in: what starts a command, and what starts the service. */
export function programHere({ script, cwd }: Omit<Invocation, 'config'>): { command: string; start: string } {
  const command = programOf(script, (path) => shellWord(shortPath(path, cwd)));
  return { command, start: isStartScript(script) ? 'npm start --' : `${command} serve` };
}

/** From a folder, where that is shorter. */
export function shortPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return fromHere.startsWith('..') ? path : join('.', fromHere) || '.';
}

/** An installed program is found by its name; one among a project's packages is not. */
function programOf(script: string, word: (path: string) => string): string {
  if (isStartScript(script)) return `node ${word(join(dirname(dirname(script)), 'bin', 'vidimus.js'))}`;
  if (basename(script) !== 'vidimus') return `node ${word(script)}`;
  return script.includes('node_modules') ? word(script) : 'vidimus';
}

/** `npm start` in a checkout. */
function isStartScript(script: string): boolean {
  return basename(script) === 'start.mjs';
}
