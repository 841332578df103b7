import type { pino } from 'pino';
import { usesColours } from '../terminal/style.js';
import { BufferedLogDestination } from '../../core/base/runtime/buffered-log-destination.js';

/** Where log lines go, with the two ways to make sure that none is lost. */
export interface LogOutput {
  stream: pino.DestinationStream;
  /** Resolves when everything has been written, or cannot be. Nothing may be logged afterwards. */
  end(): Promise<void>;
  /** Writes everything at once, for the last moments of a process. */
  flush(): void;
}

const STANDARD_OUTPUT = 1;
const GATHER_CHARACTERS = 8 * 1024;
const INTERVAL_MS = 500;

/** How lines are written. */
export interface LogOutputOptions {
  /** Many at once and at most half a second late where that is no terminal, which spares each request a system call. */
  gathers: boolean;
  /** Whether other processes write to the same output. */
  isShared: boolean;
}

/** Log lines on standard output: readable on a terminal, one JSON object a line elsewhere. */
export async function openLogOutput({ gathers, isShared }: LogOutputOptions): Promise<LogOutput> {
  const { isTTY } = process.stdout;
  const gatherCharacters = isTTY || !gathers ? 0 : GATHER_CHARACTERS;
  const writer = new BufferedLogDestination({
    fd: STANDARD_OUTPUT,
    gatherCharacters,
    intervalMs: INTERVAL_MS,
    isShared,
  });
  const readable = isTTY ? await readableLines() : null;
  const write = (line: string): void => writer.write(readable === null ? line : readable(line));
  return { stream: { write }, end: () => writer.end(), flush: () => writer.flush() };
}

async function readableLines(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    colorize: usesColours(process.stdout),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
}
