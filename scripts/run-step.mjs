// One program of the preparation. Signals are handed on to it, and it is waited for: nothing is left running.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const HANDED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const KEPT_CHARS = 16_384;
// npm takes a signal for a request to put back what it began, and waits up to five minutes for a silent registry first.
const GRACE_MS = 2_000;
const HAS_GROUPS = process.platform !== 'win32';

/**
 * A step that failed, in one sentence, or was stopped (`isStop`); `exitCode` is what to end with, `output` the end of
 * what it said.
 */
export class StepError extends Error {
  constructor(message, { exitCode = 1, output = '' } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.isStop = exitCode > 128;
    this.output = output;
  }
}

/**
 * Runs a program, its output beside ours on standard error. `onStart` gets its process id. Rejects with `StepError`
 * when it fails, or when a signal came meanwhile: then only after it has ended, which it has to within `GRACE_MS`.
 */
export async function runStep(what, command, args, { cwd, env = process.env, onStart = () => {} }) {
  let signalled = null;
  let kill;
  const child = spawn(command, args, { cwd, env, detached: HAS_GROUPS, stdio: ['ignore', 'pipe', 'pipe'] });
  const handOn = (signal) => {
    signalled ??= signal;
    signalAll(child, signal);
    kill ??= setTimeout(signalAll, GRACE_MS, child, 'SIGKILL');
  };
  for (const signal of HANDED_ON) process.on(signal, handOn);
  if (child.pid !== undefined) onStart(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-KEPT_CHARS);
      process.stderr.write(text);
    });
  }
  try {
    const { code, signal } = await ended(child, what);
    if (signalled !== null)
      throw new StepError(`${what} was stopped`, { exitCode: 128 + constants.signals[signalled] });
    if (code !== 0) throw new StepError(`${what} ended with ${signal ?? `code ${code}`}`, { output });
  } finally {
    clearTimeout(kill);
    for (const signal of HANDED_ON) process.off(signal, handOn);
  }
}

/** A program may be a script of the shell in front of the real one: the whole process group gets the signal. */
function signalAll(child, signal) {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function ended(child, what) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new StepError(`${what} could not be run: ${error.message}`)));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
