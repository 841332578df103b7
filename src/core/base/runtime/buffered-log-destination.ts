import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { errorCode } from '../errors/error-code.js';
import { SECOND_MS, systemClock } from '../clock.js';

export interface BufferedLogDestinationOptions {
  /** File descriptor: a file, a pipe or a terminal. */
  fd: number;
  /** Lines are written once they are so many characters together. */
  gatherCharacters: number;
  /** How late the last lines are written. */
  intervalMs: number;
  /** Whether other processes write to the same pipe: then what is written at once is so short that it stays together. */
  isShared: boolean;
}

/** What waits for a reader that does not read, or for a full disk; more is dropped, and the drop told of. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;
const LAST_MOMENT_MS = SECOND_MS;
const END_LIMIT_MS = 3 * SECOND_MS;
const RETRY_MS = 10;
const NOTHING = Buffer.alloc(0);
/** POSIX `write`: what is not longer goes into a pipe as a whole. */
const WHOLE_BYTES = 4096;
const LINE_END = 0x0a;

type Outcome = 'done' | 'later' | 'failed';

/**
 * Writes lines, many at once, and never throws: a log that cannot be written is no reason to stop serving. Each
 * write is a synchronous system call, so that nothing handed over is lost when the process ends; pino's own
 * destination does not promise that. It also takes 1 µs of processor time a line; pino's takes 2, and writing
 * each line by itself 3. One microsecond is 4 % of an answer from memory.
 */
export class BufferedLogDestination {
  /** What the last write left over. */
  #rest: Buffer = NOTHING;
  #gathered = '';
  #gatheredLines = 0;
  #lostLines = 0;
  /** Gathered characters at which the next write is tried: after one that took nothing, not with every line again. */
  #nextAttemptCharacters: number;
  /** Nobody will ever read again. */
  #isGone = false;
  readonly #timer: NodeJS.Timeout;
  readonly #onExit = (): void => this.flush();

  constructor(private readonly options: BufferedLogDestinationOptions) {
    this.#nextAttemptCharacters = options.gatherCharacters;
    this.#timer = setInterval(() => this.#attempt(), options.intervalMs).unref();
    process.on('exit', this.#onExit);
  }

  /** Takes one line with its end. */
  write(line: string): void {
    if (this.#isGone) return;
    this.#gathered += line;
    this.#gatheredLines += 1;
    if (this.#gathered.length >= this.#nextAttemptCharacters) this.#attempt();
    if (this.#gathered.length >= MAX_WAITING_CHARACTERS) this.#drop();
  }

  /** Writes what there is, for the last moments of a process; waits a second at most for a slow reader. */
  flush(): void {
    const untilMs = performance.now() + LAST_MOMENT_MS;
    while (this.#attempt() === 'later' && performance.now() < untilMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }

  /** The same for an orderly end, without holding up others; waits three seconds at most. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    process.off('exit', this.#onExit);
    const untilMs = performance.now() + END_LIMIT_MS;
    while (this.#attempt() === 'later' && performance.now() < untilMs) await sleep(RETRY_MS);
  }

  #attempt(): Outcome {
    const outcome = this.#writeAll();
    this.#nextAttemptCharacters = this.#gathered.length + this.options.gatherCharacters;
    return outcome;
  }

  #writeAll(): Outcome {
    try {
      for (;;) {
        if (this.#rest.length === 0) this.#rest = this.#take();
        if (this.#rest.length === 0) return 'done';
        const part = this.options.isShared ? wholeLines(this.#rest) : this.#rest;
        this.#rest = this.#rest.subarray(writeSync(this.options.fd, part));
      }
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EAGAIN' || code === 'EINTR') return 'later';
      if (code === 'EPIPE' || code === 'EBADF') this.#leave();
      return 'failed';
    }
  }

  #take(): Buffer {
    const lost = this.#lostLines === 0 ? '' : lossLine(this.#lostLines);
    const bytes = Buffer.from(lost + this.#gathered);
    this.#gathered = '';
    this.#gatheredLines = 0;
    this.#lostLines = 0;
    return bytes;
  }

  #drop(): void {
    this.#lostLines += this.#gatheredLines;
    this.#nextAttemptCharacters = this.options.gatherCharacters;
    this.#gathered = '';
    this.#gatheredLines = 0;
  }

  #leave(): void {
    this.#isGone = true;
    this.#rest = NOTHING;
    this.#drop();
    this.#lostLines = 0;
  }
}

/** As many lines as stay together when they are written; at least one. */
function wholeLines(bytes: Buffer): Buffer {
  if (bytes.length <= WHOLE_BYTES) return bytes;
  const end = bytes.lastIndexOf(LINE_END, WHOLE_BYTES - 1);
  return bytes.subarray(0, (end === -1 ? bytes.indexOf(LINE_END) : end) + 1);
}

function lossLine(lines: number): string {
  const time = new Date(systemClock.now()).toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines were lost: they could not be written' })}\n`;
}
