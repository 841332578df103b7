import { isAscii, isUtf8 } from 'node:buffer';

const COMMENT = /<!--[^]*?(?:-->|$)/g;
const META = /<[ \t\n\f\r]*meta([^>]*)/gi;
const CHARSET = /charset[ \t\n\f\r]*=[ \t\n\f\r]*["']?[ \t\n\f\r]*([\w.:+-]+)/i;
const ENCODING = /^<\?xml[^>]*?encoding[ \t\n\f\r]*=[ \t\n\f\r]*["']?[ \t\n\f\r]*([\w.:+-]+)/i;
const LONGEST_LABEL = 40;

/**
 * The labels of the first `most` `<meta … charset=…>` in `markup` (bytes read as Latin-1, cut by the caller), also
 * those inside `content` of an http-equiv. WHATWG HTML §13.2.3.2, "prescan a byte stream".
 */
function charsetsOfMetas(markup: string, most: number): string[] {
  const labels: string[] = [];
  for (const [, attributes = ''] of markup.replaceAll(COMMENT, '').matchAll(META)) {
    const label = CHARSET.exec(attributes)?.[1];
    if (label !== undefined && labels.push(label) >= most) break;
  }
  return labels;
}

/**
 * The encoding a label stands for (`latin1` gives `windows-1252`), or null when it is unknown, absurdly long
 * or one that must not be decoded (`replacement`, `x-user-defined`). WHATWG Encoding Standard §4.2.
 */
function encodingOfLabel(label: string): string | null {
  if (label.length > LONGEST_LABEL) return null;
  try {
    const { encoding } = new TextDecoder(label);
    // One decoder for both by the Encoding Standard; that of Node for gbk knows no characters of four bytes.
    return encoding === 'gbk' ? 'gb18030' : encoding;
  } catch {
    return null;
  }
}

const CHUNK_BYTES = 16_384;

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
  const isContinuation = (at: number): boolean => ((body[at] ?? 0) & 0xc0) === 0x80;
  for (let start = encodingOfMark(body) === 'utf-8' ? 3 : 0, end = 0; start < body.length; start = end) {
    end = Math.min(start + CHUNK_BYTES, body.length);
    for (let back = 0; back < 3 && isContinuation(end); back += 1) end -= 1;
    yield body.toString('utf8', start, end);
  }
}

const PRESCAN_BYTES = 1_024;
/** Where `enhanced` looks for meta tags, and how much it looks at where none is there or bytes disagree. */
const WIDE_PRESCAN_BYTES = 8_192;
const SAMPLE_BYTES = 131_072;
const MAX_METAS = 5;
const THREE_BYTE_LEAD = /[\xe0-\xff]/;
const EAST_ASIAN = /^(?:big5|euc-jp|euc-kr|gb18030|iso-2022-jp|shift_jis)$/;
/** The five bytes that stand for nothing in windows-1252. */
const UNDEFINED_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** Good characters for each broken one that make UTF-8 likelier than a label that says otherwise. */
const GOOD_UTF8_PER_BROKEN = 8;

/**
 * The encoding that decodes `body`: a byte order mark, then labels, then UTF-8, then windows-1252; unknown labels are
 * skipped, and valid UTF-8 overrides a wrong one. `standard` takes the first that decodes the whole, of meta, XML
 * declaration and Content-Type in this order. For `enhanced` Content-Type is the first, as in browsers (HTML §13.2.3),
 * and a few broken bytes are forgiven. Null: none does, or it is no text.
 */
export function findCharset(body: Buffer, read: HowRead): string | null {
  const charset = likelyCharset(body, read);
  return charset === null || isBinary(body, charset) ? null : charset;
}

interface HowRead {
  contentType: string | null;
  mode: 'standard' | 'enhanced';
}

function likelyCharset(body: Buffer, { contentType, mode }: HowRead): string | null {
  const isEnhanced = mode === 'enhanced';
  const head = body.toString('latin1', 0, isEnhanced ? WIDE_PRESCAN_BYTES : PRESCAN_BYTES);
  const inHead = [...charsetsOfMetas(head, isEnhanced ? MAX_METAS : 1), ENCODING.exec(head)?.[1]];
  const parameters = contentType?.split(';').slice(1).join(';').slice(0, 1_024) ?? '';
  const inHeader = CHARSET.exec(parameters)?.[1];
  const early = encodingsOf(isEnhanced ? [inHeader, ...inHead] : [...inHead, inHeader], body);
  const sample = body.subarray(0, SAMPLE_BYTES);
  const isLate = isEnhanced && early.length === 0 && !isUtf8(body);
  const declared = isLate ? encodingsOf(charsetsOfMetas(sample.toString('latin1'), MAX_METAS), body) : early;
  const isUtf8Likely = isUtf8(body) || (isEnhanced && decodesNearly(sample, 'utf-8', GOOD_UTF8_PER_BROKEN));
  const marked = encodingOfMark(body) ?? (isEnhanced ? wideEncodingOf(body) : null);
  if (marked === null && isUtf8Likely && mayBeUtf8Despite(declared[0], sample)) return 'utf-8';
  const candidates = [...(marked === null ? [] : [marked]), ...declared, 'utf-8'];
  const isRead = isEnhanced ? decodesNearly : decodesWhole;
  // Where windows-1252 is only a guess its five free bytes mean garbage; under a label they are controls.
  const isGarbage = (): boolean => UNDEFINED_1252.some((byte) => body.includes(byte));
  return candidates.find((encoding) => isRead(body, encoding)) ?? (isGarbage() ? null : 'windows-1252');
}

/** A label of UTF-16 is believed only where markup is two bytes wide; nearly any bytes "decode" as UTF-16. */
function encodingsOf(labels: readonly (string | undefined)[], body: Buffer): string[] {
  const isWide = body.subarray(0, PRESCAN_BYTES).includes(0);
  return labels
    .map((label) => (label === undefined ? null : encodingOfLabel(label)))
    .filter((encoding) => encoding !== null)
    .filter((encoding) => isWide || !encoding.startsWith('utf-16'));
}

function encodingOfMark(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : null;
}

/** UTF-16 without a mark: a page starts with `<`, perhaps behind blanks. */
function wideEncodingOf(body: Buffer): string | null {
  const start = body.toString('latin1', 0, 2);
  if (/^[<\s]\0/.test(start)) return 'utf-16le';
  return /^\0[<\s]/.test(start) ? 'utf-16be' : null;
}

/** May UTF-8 override `label`? Two bytes may mean either in an East Asian page, whose UTF-8 takes three. */
function mayBeUtf8Despite(label: string | undefined, body: Buffer): boolean {
  if (label === undefined || label.startsWith('utf-') || isAscii(body)) return false;
  if (!EAST_ASIAN.test(label)) return true;
  // By a regular expression: twenty times as fast as a look at each byte.
  for (let start = 0; start < body.length; start += CHUNK_BYTES)
    if (THREE_BYTE_LEAD.test(body.toString('latin1', start, start + CHUNK_BYTES))) return true;
  return false;
}

/** Does `encoding` decode all of `body`, or all but a small share (a text cut in a character, one pasted line)? */
function decodesNearly(
  body: Buffer,
  encoding: string,
  goodPerBroken = encoding === 'utf-8' ? 1 : 2,
): boolean {
  if (decodesWhole(body, encoding)) return true;
  const isWide = encoding.startsWith('utf-16');
  let good = 0;
  let broken = 0;
  for (const chunk of decodeChunks(body, encoding)) {
    // In UTF-16 letters of ASCII are evidence as any other.
    good += isWide ? chunk.length : (chunk.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0);
    broken += chunk.match(/\ufffd/g)?.length ?? 0;
  }
  return good > 0 && good >= broken * goodPerBroken;
}

function decodesWhole(body: Buffer, encoding: string): boolean {
  if (encoding === 'utf-8') return isUtf8(body);
  if (encoding === 'windows-1252') return true;
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    decoder.decode(body);
    return true;
  } catch {
    return false;
  }
}

/** A PDF, or a file with controls where a page begins, as archives and films have them. */
function isBinary(body: Buffer, charset: string): boolean {
  const start = body.toString('latin1', 0, 64);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const controls = start.match(/[\0-\x08\x0e-\x1a\x1c-\x1f]/g) ?? [];
  const isWide = (encoding: string | null): boolean => encoding?.startsWith('utf-16') === true;
  const mayBeWide = isWide(charset) || isWide(encodingOfMark(body)) || isWide(wideEncodingOf(body));
  return start.startsWith('%PDF-') || (controls.length > 1 && !mayBeWide);
}
