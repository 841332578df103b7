/** Types that the decoder may see; served inline too, because they cannot carry script. */
export const DECODABLE_TYPES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** How many first bytes `sniffImageType` looks at. */
export const SNIFF_BYTES = 4096;

interface Signature {
  type: string;
  /** Bytes by offset; Latin-1 text. */
  marks: readonly [offset: number, text: string][];
}

const SIGNATURES: readonly Signature[] = [
  { type: 'image/jpeg', marks: [[0, '\xff\xd8\xff']] },
  { type: 'image/png', marks: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/gif', marks: [[0, 'GIF87a']] },
  { type: 'image/gif', marks: [[0, 'GIF89a']] },
  {
    type: 'image/webp',
    marks: [
      [0, 'RIFF'],
      [8, 'WEBPVP8'],
    ],
  },
  { type: 'image/tiff', marks: [[0, 'II*\0']] },
  { type: 'image/tiff', marks: [[0, 'MM\0*']] },
];

const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis']);
const BMP_HEADER_SIZES: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);

/**
 * The image type that the first bytes of a file show, whatever its label says; `null` when they show none.
 * Knows JPEG, PNG, GIF, WebP, AVIF, TIFF, BMP, ICO and SVG.
 */
export function sniffImageType(head: Buffer): string | null {
  for (const { type, marks } of SIGNATURES) {
    if (marks.every(([offset, text]) => textAt(head, offset, text.length) === text)) return type;
  }
  if (isAvif(head)) return 'image/avif';
  if (isBmp(head)) return 'image/bmp';
  if (isIco(head)) return 'image/x-icon';
  return isSvg(head) ? 'image/svg+xml' : null;
}

function textAt(head: Buffer, offset: number, length: number): string {
  return head.toString('latin1', offset, offset + length);
}

/** ISO base media file: the major brand or one of the compatible ones. */
function isAvif(head: Buffer): boolean {
  if (head.length < 16 || textAt(head, 4, 4) !== 'ftyp') return false;
  const end = Math.min(head.readUInt32BE(0), head.length, 256);
  for (let offset = 8; offset + 4 <= end; offset += 4) {
    if (offset !== 12 && AVIF_BRANDS.has(textAt(head, offset, 4))) return true;
  }
  return false;
}

function isBmp(head: Buffer): boolean {
  return head.length >= 26 && textAt(head, 0, 2) === 'BM' && BMP_HEADER_SIZES.has(head.readUInt32LE(14));
}

/** Directory of icons (1) or cursors (2) with a plausible number of entries and the reserved zero. */
function isIco(head: Buffer): boolean {
  if (head.length < 22 || head.readUInt16LE(0) !== 0) return false;
  const entries = head.readUInt16LE(4);
  return head.readUInt16LE(2) === 1 && entries > 0 && entries <= 256 && head[9] === 0;
}

/** What may stand before the root element: an XML declaration, comments, a document type. */
const PROLOG = /^(?:<!--[^]*?-->|<\?[^]*?\?>|<!doctype\s[^[>]*(?:\[[^\]]*\][^>]*)?>)/i;

/** Whether the root element is svg. */
function isSvg(head: Buffer): boolean {
  let rest = head
    .toString('utf8', 0, SNIFF_BYTES)
    .replace(/^\uFEFF/, '')
    .trimStart();
  for (let prolog = PROLOG.exec(rest); prolog !== null; prolog = PROLOG.exec(rest))
    rest = rest.slice(prolog[0].length).trimStart();
  return /^<(?:svg:)?svg[\s>/]/.test(rest);
}
