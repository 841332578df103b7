import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { main } from '../../src/cli/main.js';
import { PROGRAM, plainEnvironment, type Finished, type Place } from './vidimus.js';

/** Below the time of a test, so that one that hangs gives the process back before the next test begins. */
const LIMIT_MS = 25_000;

/** One at a time: folder, environment and streams are the process's. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs one command of the sources to its end in this process, which is a tenth of the work of starting one. For what a
 * command does; that the program starts, ends and is built whole, `vidimus` shows.
 */
export function runHere(args: string[], place: Omit<Place, 'script' | 'uid'>): Promise<Finished> {
  const finished = last.then(() => asProcess(args, place));
  last = finished.catch(() => undefined);
  return finished;
}

async function asProcess(args: string[], { cwd, env = {} }: Omit<Place, 'script'>): Promise<Finished> {
  const [stdout, stderr] = [new Recorder(), new Recorder()];
  const folder = process.cwd();
  const undo = (['SIGINT', 'SIGTERM'] as const).map(keepListeners);
  try {
    takeExitCode();
    undo.push(
      replace('env', withoutUndefined({ ...plainEnvironment(), ...env })),
      replace('argv', [process.execPath, PROGRAM, ...args]),
      replace('stdout', stdout),
      replace('stderr', stderr),
    );
    process.chdir(cwd);
    await inTime(main(args), args);
    return { code: takeExitCode(), signal: null, stdout: stdout.text, stderr: stderr.text };
  } finally {
    for (const step of undo) step();
    process.chdir(folder);
    takeExitCode();
  }
}

/** The process has none any more: else the next command, and the tests, would end with it. */
function takeExitCode(): number {
  const { exitCode = 0 } = process;
  process.exitCode = undefined;
  return Number(exitCode);
}

async function inTime(done: Promise<void>, args: readonly string[]): Promise<void> {
  const over = new AbortController();
  const late = delay(LIMIT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`"vidimus ${args.join(' ')}" has not ended`);
  });
  await Promise.race([done, late]).finally(() => over.abort());
}

/** What a pipe would get. */
class Recorder extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function replace(name: 'argv' | 'env' | 'stderr' | 'stdout', value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true });
  return () => {
    if (before !== undefined) Object.defineProperty(process, name, before);
  };
}

/** A command that ends with its process need not take its listeners away. */
function keepListeners(signal: NodeJS.Signals): () => void {
  const before = process.listeners(signal);
  return () => {
    for (const listener of process.listeners(signal))
      if (!before.includes(listener)) process.removeListener(signal, listener);
  };
}

function withoutUndefined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
