import { setImmediate } from 'node:timers/promises';

/** Writing a row costs about 0.3 ms of the event loop. */
const ROWS_PER_PIECE = 50;

/** Writes rows piece by piece, so that a server with very many keys does not hold up everybody else. */
export async function inPieces<Row>(
  rows: readonly Row[],
  write: (piece: Row[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_PIECE) {
    if (at > 0) await setImmediate();
    await write(rows.slice(at, at + ROWS_PER_PIECE));
  }
}
