import type { Breather } from './breather.js';
import { PIECE_BYTES } from './decode-pieces.js';

/** Good characters beyond ASCII that must stand against each broken one. */
const GOOD_PER_BROKEN = 8;

/**
 * Is `body` UTF-8 with only a few broken bytes (a text cut in the middle of a character, one pasted line)?
 * True when at least eight characters beyond ASCII are whole for each broken one, and there are any.
 */
export async function isMostlyUtf8(body: Buffer, breather: Breather): Promise<boolean> {
  let good = 0;
  let broken = 0;
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    const piece = body.toString('utf8', start, start + PIECE_BYTES);
    for (let at = 0; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === 0xfffd) broken += 1;
      else if (unit > 0x7f) good += 1;
    }
    await breather.after(PIECE_BYTES);
  }
  return good > 0 && good >= broken * GOOD_PER_BROKEN;
}
