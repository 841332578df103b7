import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { errorCode } from '../core/base/errors/error-code.js';
import { CommandError } from './exit.js';
import { note } from './terminal/print.js';

export interface NewFileOptions {
  /** 0640 when absent. */
  mode?: number;
  /** What the text goes through on its way, such as compression. */
  through?: Transform;
}

/** To standard output without a file; never over an old one, and a part of it is not left behind. */
export async function writeNew(
  output: string | undefined,
  texts: Iterable<string> | AsyncIterable<string>,
  { mode = 0o640, through }: NewFileOptions = {},
): Promise<void> {
  if (output === undefined) {
    for await (const text of texts) if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    return;
  }
  const file = await open(output, 'wx', mode).catch((error: unknown) => {
    throw notWritten(output, error);
  });
  try {
    const target = file.createWriteStream({ flush: true });
    await (through === undefined ? pipeline(texts, target) : pipeline(texts, through, target));
  } catch (error) {
    await rm(output, { force: true });
    // Of the file itself, such as a full disk; else what was to be written could not be read.
    throw error instanceof Error && 'syscall' in error ? notWritten(output, error) : error;
  }
  note(`Written: ${output}`);
}

function notWritten(output: string, error: unknown): CommandError {
  const why =
    errorCode(error) === 'EEXIST' ? 'the file exists already and is never overwritten' : textOf(error);
  return new CommandError(`${output} was not written: ${why}.`);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // "EACCES: permission denied, open '/srv/x'": the path has been said.
  return error.message.replace(/, \w+(?: '.*')?$/, '');
}
