import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The built program as operators run it, in a process of its own. */
export interface Product {
  /** Where it listens. */
  url: string;
  /** Runs one of its commands beside it; resolves to what that prints. */
  command(...args: string[]): Promise<string>;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../bin/vidimus.js', import.meta.url));
const LOOK_INTERVAL_MS = 50;

/** Starts it on `config.yaml` of a folder, where its log goes, too. Rejects with the end of the log. */
export async function startProduct(folder: string, port: number): Promise<Product> {
  const config = ['--config', join(folder, 'config.yaml')];
  const logPath = join(folder, 'vidimus.log');
  const log = openSync(logPath, 'a');
  // In a group of its own: Ctrl-C is for the demo, which ends it.
  const options = { cwd: folder, detached: true, stdio: ['ignore', log, log] as ('ignore' | number)[] };
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...config], options);
  closeSync(log);
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  if (!(await isReady(child, url))) throw new Error(readFileSync(logPath, 'utf8').slice(-4000));
  return {
    url,
    command: async (...args) =>
      (await promisify(execFile)(process.execPath, [PROGRAM, ...args, ...config])).stdout.trim(),
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isReady(child: ChildProcess, url: string): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    if (answer?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
  }
  return false;
}
