import { isAscii, isUtf8 } from 'node:buffer';
import type { Breather } from './breather.js';
import { encodingFamily, encodingOfLabel } from './charset-label.js';
import { PIECE_BYTES } from './decode-pieces.js';
import { charsetOfContentType, charsetOfMeta, charsetOfXmlDeclaration } from './declared-charset.js';
import { isMostlyUtf8 } from './mostly-utf8.js';

const PRESCAN_BYTES = 1024;
const LATE_PRESCAN_BYTES = 131_072;
/** The five bytes that stand for nothing in windows-1252. */
const UNDEFINED_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** What is known beside the bytes; `contentType` is the header, null without one. */
export interface FindCharsetOptions {
  contentType: string | null;
  mode: 'standard' | 'enhanced';
  breather: Breather;
}

/**
 * The encoding that decodes the whole of `body`: a byte order mark, then the labels of meta, XML declaration and
 * Content-Type in this order, then UTF-8, then windows-1252; unknown labels are skipped. Null: none does.
 * `enhanced` also lets valid UTF-8 beat a wrong label, reads late meta tags and forgives a few broken bytes.
 */
export async function findCharset(body: Buffer, options: FindCharsetOptions): Promise<string | null> {
  const { contentType, mode, breather } = options;
  const marked = encodingOfMark(body);
  const labels = declaredLabels(body, contentType);
  const validUtf8 = isUtf8(body);
  if (mode === 'standard') {
    return firstStrict(body, [marked, ...encodingsOf(labels, body), 'utf-8'], breather);
  }
  const declared = encodingsOf(labels, body);
  if (marked === null && validUtf8 && isUtf8Despite(declared[0], body)) return 'utf-8';
  if (!validUtf8) {
    if (marked === null && declared.length === 0) {
      const late = charsetOfMeta(body.toString('latin1', 0, LATE_PRESCAN_BYTES));
      if (late !== null) declared.push(...encodingsOf([late], body));
    }
    const claimed = marked ?? declared[0] ?? 'utf-8';
    if (claimed === 'utf-8' && (await isMostlyUtf8(body, breather))) return 'utf-8';
  }
  const wide = marked ?? wideEncodingOf(body);
  return firstStrict(body, [wide, ...declared, 'utf-8'], breather);
}

function declaredLabels(body: Buffer, contentType: string | null): (string | null)[] {
  const head = body.toString('latin1', 0, PRESCAN_BYTES);
  return [charsetOfMeta(head), charsetOfXmlDeclaration(head), charsetOfContentType(contentType)];
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

/** Does valid UTF-8 beat `label`? Two bytes may mean either in an East Asian page, whose UTF-8 takes three. */
function isUtf8Despite(label: string | undefined, body: Buffer): boolean {
  if (label === undefined || label === 'utf-8' || isAscii(body)) return false;
  const family = encodingFamily(label);
  if (family === 'single-byte') return true;
  return family === 'east-asian' && body.some((byte) => byte >= 0xe0);
}

async function firstStrict(
  body: Buffer,
  encodings: readonly (string | null)[],
  breather: Breather,
): Promise<string | null> {
  const tried = new Set<string>();
  for (const encoding of encodings) {
    if (encoding === null || tried.has(encoding)) continue;
    tried.add(encoding);
    if (await decodesWhole(body, encoding, breather)) return encoding;
  }
  // Where windows-1252 is only a guess its five free bytes mean garbage; under a label they are controls.
  return UNDEFINED_1252.some((byte) => body.includes(byte)) ? null : 'windows-1252';
}

async function decodesWhole(body: Buffer, encoding: string, breather: Breather): Promise<boolean> {
  if (encoding === 'utf-8') return isUtf8(body);
  if (encoding === 'windows-1252') return true;
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for (let start = 0; start < body.length; start += PIECE_BYTES) {
      decoder.decode(body.subarray(start, start + PIECE_BYTES), { stream: true });
      await breather.after(PIECE_BYTES);
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
