import { setTimeout as sleep } from 'node:timers/promises';

import { pino } from 'pino';

import { SECOND_MS } from '../../core/base/clock.js';

/** Where log lines go, with the two ways to make sure that none is lost. */
export interface LogOutput {
  stream: pino.DestinationStream;
  /** Resolves when everything has been written, or cannot be. Nothing may be logged afterwards. */
  end(): Promise<void>;
  /** Writes everything at once, for the last moments of a process. */
  flush(): void;
}

const STANDARD_OUTPUT = 1;
/** Gathered lines spare each request a system call; the last ones are written half a second late. */
const GATHER_BYTES = 8 * 1024;
const FLUSH_INTERVAL_MS = 500;
/** Further lines are dropped while the reader does not read: an answer is worth more than its log line. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const LAST_MOMENT_MS = SECOND_MS;
const END_LIMIT_MS = 3 * SECOND_MS;

/** Log lines on standard output: readable on a terminal, one JSON object a line elsewhere. */
export async function openLogOutput(): Promise<LogOutput> {
  const { isTTY } = process.stdout;
  let retryUntilMs = Infinity;
  const writer = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    minLength: isTTY ? 0 : GATHER_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < retryUntilMs,
  });
  // A full disk or a reader that went away must not end the service.
  writer.on('error', () => undefined);
  const flushSync = writer.flushSync.bind(writer);
  writer.flushSync = () => {
    retryUntilMs = performance.now() + LAST_MOMENT_MS;
    try {
      flushSync();
    } catch {
      // What cannot be written now never will be.
    }
    retryUntilMs = Infinity;
  };
  const readable = isTTY ? await readableLines() : null;
  const write = (line: string): void => void writer.write(readable === null ? line : readable(line));
  const flushed = (): Promise<void> => new Promise((resolve) => writer.flush(() => resolve()));
  const end = (): Promise<void> => Promise.race([flushed(), sleep(END_LIMIT_MS, undefined, { ref: false })]);
  return { stream: { write }, end, flush: () => writer.flushSync() };
}

async function readableLines(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    colorize: process.stdout.hasColors(),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
}
