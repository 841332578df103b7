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

const WRITE_BYTES = 8 * 1024;
const FLUSH_INTERVAL_MS = 500;

/**
 * Log lines on standard output: readable on a terminal, one JSON object a line elsewhere. The latter are written
 * in the background, many at once and at most half a second late, which spares each request a system call.
 */
export async function openLogOutput(): Promise<LogOutput> {
  const file = process.stdout.isTTY
    ? pino.destination({ fd: 1, sync: true })
    : pino.destination({ fd: 1, sync: false, minLength: WRITE_BYTES, periodicFlush: FLUSH_INTERVAL_MS });
  // The reader of the lines going away is no reason to stop serving.
  file.on('error', () => undefined);
  const output = process.stdout.isTTY ? await readable(file) : file;
  return {
    stream: output,
    end: async () => {
      const closed = once(file, 'close');
      output.end();
      await closed;
    },
    flush: () => file.flushSync(),
  };
}

async function readable(destination: pino.DestinationStream) {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination,
    colorize: usesColours(process.stdout),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
}
