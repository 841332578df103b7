import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/tlog.js', import.meta.url));

/** A running command; `printed` resolves when standard output contains this. */
export function startTlog(args: readonly string[], cwd: string) {
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

export const runTlog = (args: readonly string[], cwd: string) => startTlog(args, cwd).finished;

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tlog-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
