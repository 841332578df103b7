import { isAscii, isUtf8 } from 'node:buffer';
import { encodingFamily, encodingOfLabel } from './charset-label.js';
import { detectedCharset } from './detect-charset.js';
import { CHUNK_BYTES, decodeChunks } from './decode-chunks.js';
import { charsetOfContentType, charsetOfXmlDeclaration, charsetsOfMetas } from './declared-charset.js';
import { isNearlyWhole, readingOf } from './nearly-whole.js';

/** Of three bytes or more in UTF-8. */
const THREE_BYTE_LEAD = /[\xe0-\xff]/;
const PRESCAN_BYTES = 1024;
/** Where `enhanced` looks for meta tags, and where it looks when bytes and declarations disagree. */
const WIDE_PRESCAN_BYTES = 8_192;
const LATE_PRESCAN_BYTES = 131_072;
/** Of a page that nothing explains. */
const JUDGED_BYTES = 1_048_576;
const MAX_METAS = 5;
/** The five bytes that stand for nothing in windows-1252. */
const UNDEFINED_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** Good characters for each broken one that make UTF-8 likelier than a label that says otherwise. */
const GOOD_UTF8_PER_BROKEN = 8;

/** What is known beside the bytes; `contentType` is the header, null without one. */
export interface FindCharsetOptions {
  contentType: string | null;
  mode: 'standard' | 'enhanced';
}

/**
 * The encoding that decodes `body`: a byte order mark, then labels, then UTF-8, then windows-1252; unknown labels are
 * skipped, and valid UTF-8 overrides a wrong one. `standard` takes the first that decodes the whole, of meta, XML
 * declaration and Content-Type in this order. For `enhanced` Content-Type is the first, as in browsers (HTML §13.2.3);
 * it forgives a few broken bytes, and detects what no label explains. Null: none does.
 */
export async function findCharset(body: Buffer, options: FindCharsetOptions): Promise<string | null> {
  const { contentType, mode } = options;
  if (mode === 'enhanced') return findLikely(body, contentType);
  const head = body.toString('latin1', 0, PRESCAN_BYTES);
  const meta = charsetsOfMetas(head, 1);
  const labels = [...meta, charsetOfXmlDeclaration(head), charsetOfContentType(contentType)];
  const marked = encodingOfMark(body);
  const declared = encodingsOf(labels, body);
  if (marked === null && isUtf8(body) && mayBeUtf8Despite(declared[0], body)) return 'utf-8';
  const candidates = [...listOf(marked), ...declared, 'utf-8'];
  return firstStrict(body, candidates) ?? windows1252Of(body);
}

async function findLikely(body: Buffer, contentType: string | null): Promise<string | null> {
  const marked = encodingOfMark(body);
  const isValidUtf8 = isUtf8(body);
  const declared = declaredEncodings(body, contentType, { isLate: !isValidUtf8 });
  const sample = isValidUtf8 ? body : body.subarray(0, LATE_PRESCAN_BYTES);
  if (marked === null && mayBeUtf8Despite(declared[0], sample)) {
    if (isValidUtf8 || isPlainlyUtf8(sample)) return 'utf-8';
  }
  const claimed = [...new Set([...listOf(marked ?? wideEncodingOf(body)), ...declared])];
  const strict = firstStrict(body, isValidUtf8 ? [...claimed, 'utf-8'] : claimed);
  // Any bytes "decode" in most single-byte encodings: a better claim with a few broken bytes stands against that.
  const isProof = strict !== null && (isValidUtf8 || encodingFamily(strict) !== 'single-byte');
  if (isProof || (strict !== null && strict === claimed[0])) return strict;
  const better = strict === null ? claimed : claimed.slice(0, claimed.indexOf(strict));
  for (const encoding of better) {
    if (isNearlyWhole(body, encoding)) return encoding;
  }
  const [first] = claimed;
  const forced = first !== undefined && isReadable(sample, first) ? first : null;
  return strict ?? (await likeliest(body, sample)) ?? forced;
}

/** Is at least half of the text outside of tags no U+FFFD? */
function isReadable(sample: Buffer, encoding: string): boolean {
  const text = [...decodeChunks(sample, encoding)].join('').replaceAll(/<[^<>]{0,500}>|\s+/g, '');
  return text.replaceAll('\ufffd', '').length * 2 >= text.length;
}

/** Of a page that no label explains. Text in UTF-8 reads well in other encodings, too, so that it comes first. */
async function likeliest(body: Buffer, sample: Buffer): Promise<string | null> {
  if (isPlainlyUtf8(sample)) return 'utf-8';
  const detected = await detectedCharset(sample);
  if (detected !== null) return detected;
  const isUtf8Enough = isNearlyWhole(body.subarray(0, JUDGED_BYTES), 'utf-8');
  return isUtf8Enough ? 'utf-8' : windows1252Of(body);
}

/** `isLate`: look for meta tags far down, too, if nothing is declared. */
function declaredEncodings(
  body: Buffer,
  contentType: string | null,
  { isLate }: { isLate: boolean },
): string[] {
  const head = body.toString('latin1', 0, WIDE_PRESCAN_BYTES);
  const labels = [
    charsetOfContentType(contentType),
    ...charsetsOfMetas(head, MAX_METAS),
    charsetOfXmlDeclaration(head),
  ];
  let encodings = encodingsOf(labels, body);
  if (encodings.length === 0 && isLate)
    encodings = encodingsOf(charsetsOfMetas(body.toString('latin1', 0, LATE_PRESCAN_BYTES), MAX_METAS), body);
  // One decoder for both by the Encoding Standard; that of Node for gbk knows no characters of four bytes.
  return encodings.map((encoding) => (encoding === 'gbk' ? 'gb18030' : encoding));
}

/** A label of UTF-16 is believed only where markup is two bytes wide; nearly any bytes "decode" as UTF-16. */
function encodingsOf(labels: readonly (string | null)[], body: Buffer): string[] {
  const encodings: string[] = [];
  for (const label of labels) {
    const encoding = label === null ? null : encodingOfLabel(label);
    if (encoding === null || encodings.includes(encoding)) continue;
    const isWide = encodingFamily(encoding) === 'utf-16';
    if (!isWide || body.subarray(0, PRESCAN_BYTES).includes(0)) encodings.push(encoding);
  }
  return encodings;
}

function encodingOfMark(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return null;
}

/** UTF-16 without a mark: a page starts with `<`. */
function wideEncodingOf(body: Buffer): string | null {
  if (body[0] === 0x3c && body[1] === 0) return 'utf-16le';
  if (body[0] === 0 && body[1] === 0x3c) return 'utf-16be';
  return null;
}

/** May UTF-8 override `label`? Two bytes may mean either in an East Asian page, whose UTF-8 takes three. */
function mayBeUtf8Despite(label: string | undefined, body: Buffer): boolean {
  if (label === undefined || label === 'utf-8' || isAscii(body)) return false;
  const family = encodingFamily(label);
  if (family === 'single-byte') return true;
  return family === 'east-asian' && hasThreeByteLead(body);
}

/** In pieces, by a regular expression: twenty times as fast as a look at each byte, which 10 MiB would block for. */
function hasThreeByteLead(body: Buffer): boolean {
  for (let start = 0; start < body.length; start += CHUNK_BYTES)
    if (THREE_BYTE_LEAD.test(body.toString('latin1', start, start + CHUNK_BYTES))) return true;
  return false;
}

function isPlainlyUtf8(body: Buffer): boolean {
  const { good, broken } = readingOf(body, 'utf-8');
  return good > 0 && good >= broken * GOOD_UTF8_PER_BROKEN;
}

function firstStrict(body: Buffer, encodings: readonly string[]): string | null {
  for (const encoding of new Set(encodings)) {
    if (decodesWhole(body, encoding)) return encoding;
  }
  return null;
}

/** Where windows-1252 is only a guess its five free bytes mean garbage; under a label they are controls. */
function windows1252Of(body: Buffer): string | null {
  return UNDEFINED_1252.some((byte) => body.includes(byte)) ? null : 'windows-1252';
}

function listOf(encoding: string | null): string[] {
  return encoding === null ? [] : [encoding];
}

function decodesWhole(body: Buffer, encoding: string): boolean {
  if (encoding === 'utf-8') return isUtf8(body);
  if (encoding === 'windows-1252') return true;
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for (let start = 0; start < body.length; start += CHUNK_BYTES) {
      decoder.decode(body.subarray(start, start + CHUNK_BYTES), { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
