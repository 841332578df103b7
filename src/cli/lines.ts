import { errorCode } from '../core/base/errors/error-code.js';
import { CommandError, EXIT } from './exit.js';

/** A record of the greatest size that a configuration allows, and more. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Lines of a file without their line feeds, however long it is. Rejects with what `tooLong` makes of the number of a
 * line above 64 MB, and with `CommandError` for a file that cannot be read.
 */
export async function* linesOf(
  path: string,
  chunks: AsyncIterable<Buffer>,
  tooLong: (line: number) => Error,
): AsyncGenerator<Buffer> {
  let [pieces, bytes, count] = [new Array<Buffer>(), 0, 1];
  for await (const chunk of readable(path, chunks)) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, end)]);
      [pieces, bytes, from] = [[], 0, end + 1];
      count++;
    }
    pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MAX_LINE_BYTES) throw tooLong(count);
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}

async function* readable(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
}
