import { spawnSync } from 'node:child_process';

import { readText } from '../docs/repository-files.js';

/** Values of a name in the unit of systemd, in order. */
export function unitValues(name: string): string[] {
  const lines = readText('deploy/systemd/vidimus.service').split('\n');
  return lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
}

/** Why tests of a program are left out, for the name of their group; `null` where the program is. */
export function programMissing(program: string, debianPackage: string): string | null {
  const { error } = spawnSync(program, ['--version']);
  return error === undefined ? null : `skipped: there is no ${program} (Debian package ${debianPackage})`;
}

/** Runs a program to its end; throws what it said when it fails. */
export function runProgram(program: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} (${error?.message ?? status}): ${stdout}${stderr}`);
}
