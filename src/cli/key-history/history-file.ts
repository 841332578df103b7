import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';

import { errorCode } from '../../core/base/errors/error-code.js';
import {
  HistoryCheck,
  HistoryError,
  type CheckedHistory,
} from '../../core/operators/keys/history/history-check.js';
import { CommandError, EXIT } from '../exit.js';
import { note } from '../terminal/print.js';

/** A record of the greatest size that a configuration allows, and more. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Checks an export, however long it is. Rejects with `HistoryError`, and with `CommandError` for an unreadable file. */
export async function checkHistoryFile(path: string): Promise<CheckedHistory> {
  const check = new HistoryCheck();
  try {
    for await (const line of linesOf(path)) check.add(line);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
  return check.end();
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let [pieces, bytes, count] = [new Array<Buffer>(), 0, 1];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, end)]);
      [pieces, bytes, from] = [[], 0, end + 1];
      count++;
    }
    pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MAX_LINE_BYTES) throw new HistoryError(count, 'it is too long for a line of an export');
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}

/** To standard output without a file; never over an old one, and a part of it is not left behind. */
export async function writeHistory(output: string | undefined, texts: AsyncIterable<string>): Promise<void> {
  if (output === undefined) {
    for await (const text of texts) if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    return;
  }
  const file = await open(output, 'wx', 0o640).catch((error: unknown) => {
    const isThere = errorCode(error) === 'EEXIST';
    const why = isThere ? 'the file exists already and is never overwritten' : errorCode(error);
    throw new CommandError(`${output} was not written: ${why}.`);
  });
  try {
    for await (const text of texts) await file.write(text);
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  note(`Written: ${output}`);
}
