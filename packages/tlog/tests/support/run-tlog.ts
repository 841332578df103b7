import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/tlog.js', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running command. */
export interface Running {
  child: ChildProcess;
  /** Resolves when standard output contains this. */
  printed(wanted: RegExp): Promise<string>;
  finished: Promise<Finished>;
}

export function startTlog(args: readonly string[], cwd: string): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (texts[name] += text));
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  const printed = async (wanted: RegExp) => {
    while (!wanted.test(texts.stdout)) {
      if (child.exitCode !== null) throw new Error(texts.stderr);
      await once(child.stdout, 'data');
    }
    return texts.stdout;
  };
  return { child, printed, finished };
}

export const runTlog = (args: readonly string[], cwd: string): Promise<Finished> =>
  startTlog(args, cwd).finished;

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tlog-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
