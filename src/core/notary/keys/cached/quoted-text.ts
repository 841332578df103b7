const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;
/** Digests are small integers to V8. */
const DIGEST_BITS = 0x3fffffff;

/**
 * A text between quotes inside a body, compared where it stands: making a string of it and hashing that takes longer
 * than all else that is done about a cached server.
 */
export class QuotedText {
  /** As `digestOf` makes of the text. */
  digest = 0;
  #start = 0;
  #end = 0;

  constructor(private readonly body: Uint8Array) {}

  /** Looks at the text whose first quote stands there: where its last one does, -1 unless it is plain ASCII. */
  lookAt(quoteAt: number): number {
    const { body } = this;
    if (body[quoteAt] !== QUOTE) return -1;
    let end = quoteAt + 1;
    let digest = 0;
    let code = body[end] ?? 0;
    while (code !== QUOTE) {
      if (code === BACKSLASH || code < FIRST_PRINTABLE || code > LAST_PRINTABLE) return -1;
      digest = (Math.imul(digest, 31) + code) | 0;
      code = body[++end] ?? 0;
    }
    this.#start = quoteAt + 1;
    this.#end = end;
    this.digest = digest & DIGEST_BITS;
    return end;
  }

  equals(text: string): boolean {
    const start = this.#start;
    if (text.length !== this.#end - start) return false;
    for (let at = 0; at < text.length; at += 1) {
      if (text.charCodeAt(at) !== this.body[start + at]) return false;
    }
    return true;
  }
}

/** Tells texts apart, most of them. */
export function digestOf(text: string): number {
  let digest = 0;
  for (let at = 0; at < text.length; at += 1) digest = (Math.imul(digest, 31) + text.charCodeAt(at)) | 0;
  return digest & DIGEST_BITS;
}
