import { once } from 'node:events';
import { pino } from 'pino';
import { usesColours } from '../terminal/style.js';

/** Where log lines go, with the two ways to make sure that none is lost. */
export interface LogOutput {
  stream: pino.DestinationStream;
  /** Resolves when everything has been written. Nothing may be logged afterwards. */
  end(): Promise<void>;
  /** Writes everything at once, for the last moments of a process. */
  flush(): void;
}

const WRITE_CHARACTERS = 8 * 1024;
const FLUSH_INTERVAL_MS = 500;

/**
 * Log lines on standard output: readable on a terminal, one JSON object a line elsewhere. The latter are written
 * in the background, many at once and at most half a second late, which spares each request a system call.
 */
export async function openLogOutput(): Promise<LogOutput> {
  const file = pino.destination({ fd: 1, sync: process.stdout.isTTY });
  // The reader of the lines going away is no reason to stop serving.
  file.on('error', () => undefined);
  if (!process.stdout.isTTY) return gathered(file);
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    destination: file,
    colorize: usesColours(process.stdout),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  return { stream, end: () => closed(file, () => stream.end()), flush: () => file.flushSync() };
}

type LogFile = ReturnType<typeof pino.destination>;

/** Hands lines on many at once: pino's own gathering measures all that has come so far at every line. */
function gathered(file: LogFile): LogOutput {
  let lines = '';
  const handOn = (): void => {
    if (lines !== '') file.write(lines);
    lines = '';
  };
  const timer = setInterval(handOn, FLUSH_INTERVAL_MS).unref();
  const write = (line: string): void => {
    lines += line;
    if (lines.length >= WRITE_CHARACTERS) handOn();
  };
  const end = async (): Promise<void> => {
    clearInterval(timer);
    handOn();
    await closed(file, () => file.end());
  };
  const flush = (): void => {
    handOn();
    file.flushSync();
  };
  return { stream: { write }, end, flush };
}

async function closed(file: LogFile, end: () => void): Promise<void> {
  const closing = once(file, 'close');
  end();
  await closing;
}
