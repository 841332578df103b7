/** Bytes decoded at a time. */
export const CHUNK_BYTES = 16_384;

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/**
 * Decodes `body` piece by piece, without a byte order mark and never splitting a character. Lenient: what
 * `findCharset` has checked cannot fail, and the rest becomes U+FFFD. `encoding` is a WHATWG encoding name.
 */
export function* decodeChunks(body: Buffer, encoding: string): Generator<string, void, undefined> {
  if (encoding === 'utf-8') {
    yield* decodeUtf8(body);
    return;
  }
  // Only a streaming decoder is right: Node 20 maps bytes 80 to 9F of windows-1252 to controls in one shot.
  const decoder = new TextDecoder(encoding);
  for (let start = 0; start < body.length; start += CHUNK_BYTES) {
    const chunk = decoder.decode(body.subarray(start, start + CHUNK_BYTES), { stream: true });
    if (chunk !== '') yield chunk;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** Buffer's own decoder is several times faster than a TextDecoder in stream mode. */
function* decodeUtf8(body: Buffer): Generator<string, void, undefined> {
  let start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (start < body.length) {
    let end = Math.min(start + CHUNK_BYTES, body.length);
    const longest = end - 3;
    while (end < body.length && end > longest && isContinuation(body[end])) end -= 1;
    yield body.toString('utf8', start, end);
    start = end;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & CONTINUATION_MASK) === CONTINUATION;
}
