import { writeFile } from 'node:fs/promises';
import { errorCode } from '../core/base/errors/error-code.js';
import { CommandError } from './exit.js';
import { note } from './terminal/print.js';

/** To standard output without a file; never over an old one. */
export async function writeNew(output: string | undefined, text: string): Promise<void> {
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(output, text, { flag: 'wx', mode: 0o640 });
  } catch (error) {
    throw new CommandError(`${output} was not written: ${whyNotWritten(error)}.`);
  }
  note(`Written: ${output}`);
}

function whyNotWritten(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return errorCode(error) === 'EEXIST' ? 'the file exists already and is never overwritten' : error.message;
}
