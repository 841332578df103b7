import cluster, { type Worker } from 'node:cluster';
import { hostname } from 'node:os';

import { MINUTE_MS, SECOND_MS } from '../../../core/base/clock.js';
import type { Logger } from '../../../core/base/logger.js';
import { packageRoot } from '../../../core/store/migration/files.js';
import { EXIT } from '../../exit.js';
import { FiguresRounds } from './figures-round.js';
import { refusalOf } from './place-refusal.js';
import { PROGRAM_VARIABLE, WORKER_VARIABLE } from './this-worker.js';
import { FROM_WORKER, tellWorker } from './worker-messages.js';

export interface WorkerPoolOptions {
  count: number;
  /** Setting jobs.instance: the name of the first; the others have their number behind it. */
  instance: string | null;
  /** Takes the place of this server on its store, once for all workers. */
  takePlace: () => Promise<void>;
  logger: Logger;
}

interface Member {
  number: number;
  worker: Worker;
  startedMs: number;
  isReady: boolean;
  /** Whether it has stopped listening. */
  isClosed: boolean;
}

/** A worker that is not there. */
type Missing = Omit<Member, 'worker' | 'isClosed'>;

/** How a worker ended, or why it could not begin. */
interface End {
  code?: number | null;
  signal?: string | null;
  err?: unknown;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** Who has run for so long did not end because of how it started. */
const STEADY_MS = MINUTE_MS;
const NAME_VARIABLE = 'VIDIMUS__JOBS__INSTANCE';
const MAX_NAME = 60;

/**
 * Processes of this program that serve the same ports. The others are started when the first is ready, so that one
 * migrates and makes the keys. One that ends is started again; while none is ready, one that ends is the end of all.
 */
export class WorkerPool {
  readonly #living = new Map<Worker, Member>();
  readonly #pauses = new Map<number, number>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #figures = new FiguresRounds();
  #end: (exitCode: number) => void = () => undefined;
  #hasAll = false;
  #stopSignal: NodeJS.Signals | null = null;
  #exitCode: number = EXIT.ok;

  constructor(private readonly options: WorkerPoolOptions) {
    cluster.on('exit', (worker, code, signal) => this.#onEnd(worker, { code, signal }));
    cluster.on('message', (worker, message) => this.#onMessage(worker, message));
  }

  /** Resolves with the exit code when all have ended: by `stop`, or because none can start. */
  run(): Promise<number> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#start(1);
    });
  }

  /** Passes the signal on to all, and starts none any more. A second one ends them at once. */
  stop(signal: NodeJS.Signals): void {
    this.#stopSignal = signal;
    for (const timer of this.#restarts) clearTimeout(timer);
    for (const { worker } of this.#living.values()) worker.process.kill(signal);
    if (this.#living.size === 0) this.#end(this.#exitCode);
  }

  /** One reads the configuration again and tells all instances on its database, these among them. */
  reload(): void {
    const [first] = [...this.#living.values()].toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
    first?.worker.process.kill('SIGHUP');
  }

  #start(number: number): void {
    const startedMs = performance.now();
    try {
      const variables = { [WORKER_VARIABLE]: number, [PROGRAM_VARIABLE]: packageRoot() };
      const worker = cluster.fork({ ...variables, ...this.#nameOf(number) });
      this.#living.set(worker, { number, worker, startedMs, isReady: false, isClosed: false });
      // Without memory or processes to be had there is no exit: there was nothing that could end.
      worker.on('error', (err) => {
        if (worker.process.pid === undefined) this.#onEnd(worker, { err });
        else this.options.logger.warn({ err, worker: number }, 'a worker could not be reached');
      });
    } catch (err) {
      this.#onNotRunning({ number, startedMs, isReady: false }, { err });
    }
  }

  /** The first is the instance that the configuration names, so that its jobs stay its own. */
  #nameOf(number: number): Record<string, string> {
    if (number === 1) return {};
    const name = (this.options.instance ?? hostname()).replaceAll(/[^\w.-]/g, '-').slice(0, MAX_NAME);
    const variable = Object.keys(process.env).find((known) => known.toUpperCase() === NAME_VARIABLE);
    return { [variable ?? NAME_VARIABLE]: `${name}-${number}` };
  }

  #onMessage(worker: Worker, raw: unknown): void {
    const message = FROM_WORKER.parse(raw);
    const member = this.#living.get(worker);
    if (message.kind === 'settle') tellSettled(worker);
    else if (message.kind === 'place_wanted') void this.#givePlace(worker);
    else if (message.kind === 'figures') this.#figures.add(message.round, message.text);
    // Who asks has figures of its own, ready or not.
    else if (message.kind === 'figures_wanted')
      this.#figures.begin(worker, new Set([worker, ...this.#ready()]));
    else if (member !== undefined) this.#onState(member, message.kind);
  }

  async #givePlace(worker: Worker): Promise<void> {
    const refusal = await this.options.takePlace().then(
      () => null,
      (error: unknown) => refusalOf(error),
    );
    tellWorker(worker, { kind: 'place', refusal });
  }

  #onState(member: Member, state: 'ready' | 'closed'): void {
    if (state === 'ready') return this.#onReady(member);
    member.isClosed = true;
    // What it takes no more goes to those that serve on.
    if (this.#stopSignal === null) tellWorker(member.worker, { kind: 'all_closed' });
    else this.#tellWhenAllClosed();
  }

  /** The word of a worker comes after that by which its port is closed here. */
  #tellWhenAllClosed(): void {
    const members = [...this.#living.values()];
    if (!members.every(({ isClosed }) => isClosed)) return;
    for (const { worker } of members) tellWorker(worker, { kind: 'all_closed' });
  }

  #onReady(member: Member): void {
    member.isReady = true;
    if (this.#hasAll || this.#stopSignal !== null) return;
    this.#hasAll = true;
    for (let number = 2; number <= this.options.count; number += 1) this.#start(number);
  }

  #onEnd(worker: Worker, how: End): void {
    const member = this.#living.get(worker);
    if (member === undefined) return;
    this.#living.delete(worker);
    this.#onNotRunning(member, how);
  }

  #onNotRunning(member: Missing, { code = null, signal = null, ...how }: End): void {
    if (this.#stopSignal !== null) return this.#onStopped(code, signal);
    const { logger } = this.options;
    const told = { ended: member.number, code, signal, ...how };
    if (!member.isReady && this.#ready().length === 0) {
      logger.fatal(told, 'a worker ended before it was ready, and no other is');
      this.#exitCode = code === null || code === EXIT.ok ? EXIT.failed : code;
      this.stop('SIGTERM');
      return;
    }
    const pauseMs = this.#pauseFor(member);
    logger.error({ ...told, pause_ms: pauseMs }, 'a worker ended and is started again');
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start(member.number);
    }, pauseMs);
    this.#restarts.add(timer);
  }

  #onStopped(code: number | null, signal: string | null): void {
    const own = code ?? (signal === this.#stopSignal ? EXIT.ok : EXIT.failed);
    if (this.#exitCode === EXIT.ok) this.#exitCode = own;
    this.#tellWhenAllClosed();
    if (this.#living.size === 0) this.#end(this.#exitCode);
  }

  #pauseFor({ number, startedMs }: Missing): number {
    const isSteady = performance.now() - startedMs >= STEADY_MS;
    const pauseMs = isSteady ? FIRST_PAUSE_MS : (this.#pauses.get(number) ?? FIRST_PAUSE_MS);
    this.#pauses.set(number, Math.min(LONGEST_PAUSE_MS, 2 * pauseMs));
    return pauseMs;
  }

  #ready(): Worker[] {
    return [...this.#living.values()].filter(({ isReady }) => isReady).map(({ worker }) => worker);
  }
}

/** After all connections that the system had for us by then have been handed out. */
function tellSettled(worker: Worker): void {
  setImmediate(() => void setImmediate(() => tellWorker(worker, { kind: 'settled' })));
}
