import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the bench that does one job at a time: a message in, a message out. */
export interface Worker<Job, Outcome> {
  readonly pid: number;
  /** Rejects when the process ends or reports a failure. */
  run(job: Job): Promise<Outcome>;
  end(): Promise<void>;
}

/** What goes back over the channel. */
export type Reply<Outcome> = { ok: true; outcome: Outcome } | { ok: false; message: string };

const TYPESCRIPT = new URL('../../scripts/typescript.mjs', import.meta.url).href;
/** A server that drains and writes its profile takes some seconds. */
const GRACE_MS = 20_000;

/** Starts one of the files in `bench/processes` as a process of its own. */
export function startWorker<Job extends object, Outcome>(name: string): Worker<Job, Outcome> {
  const file = fileURLToPath(new URL(`../processes/${name}.ts`, import.meta.url));
  const child = fork(file, { execArgv: ['--import', TYPESCRIPT], serialization: 'advanced' });
  return {
    pid: child.pid ?? 0,
    run: (job) => ask(child, job, name),
    end: () => endChild(child),
  };
}

async function ask<Outcome>(child: ChildProcess, job: object, name: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`${name} ended with code ${code}`));
    child.once('exit', onExit);
    child.once('message', (reply: Reply<Outcome>) => {
      child.off('exit', onExit);
      if (reply.ok) resolve(reply.outcome);
      else reject(new Error(`${name}: ${reply.message}`));
    });
    child.send(job);
  });
}

/** Ends a child politely, then for good. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
}

/** The other end: answers every message with what `work` makes of it. */
export function serveJobs(work: (job: never) => Promise<unknown>): void {
  process.on('message', (job: unknown) => {
    // Both ends are files of the bench, so a job is what the worker says it takes.
    work(job as never).then(
      (outcome) => process.send?.({ ok: true, outcome }),
      (error: unknown) => process.send?.({ ok: false, message: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
