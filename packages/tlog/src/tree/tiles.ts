import { Buffer } from 'node:buffer';

/** Hashes of a full tile, and entries of a full bundle (C2SP tlog-tiles, "Merkle Tree"). */
export const TILE_WIDTH = 256;

/** A part of the tree as it is asked for; `width` below 256 is a partial one. */
export interface TilePlace {
  /** 0 holds hashes of entries, each further level roots of full tiles; `entries`: a bundle. */
  level: number | 'entries';
  n: number;
  width: number;
}

/** Hashes that a tree of `size` entries has at a level. */
export function hashesAt(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** How many levels of tiles a tree has. */
export function levelsOf(size: number): number {
  let levels = 0;
  while (hashesAt(size, levels) > 0) levels += 1;
  return levels;
}

/** Whether a tree of `size` entries has all of this tile or bundle. */
export function isWithin({ level, n, width }: TilePlace, size: number): boolean {
  return n * TILE_WIDTH + width <= hashesAt(size, level === 'entries' ? 0 : level);
}

/** At most as many entries as fit into an exact number. */
const MAX_LEVEL = 5;
const PLACE = /^(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Reads what follows `tile/` in a path, such as `0/x001/234` or `entries/000.p/17`; `null`: none that there can be. */
export function parseTilePlace(path: string): TilePlace | null {
  const [, where = '', digits = '', partial] = PLACE.exec(path) ?? [];
  if (where === '') return null;
  const level = where === 'entries' ? where : Number(where);
  const n = Number(digits.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  const isPartial = width > 0 && width < TILE_WIDTH && String(width) === partial;
  const isWritten = (partial === undefined || isPartial) && writeNumber(n) === digits;
  const isPossible = Number.isSafeInteger(n) && (level === 'entries' || level <= MAX_LEVEL);
  return isWritten && isPossible ? { level, n, width } : null;
}

/** The path that `parseTilePlace` reads, with `tile/` in front. */
export function tilePath({ level, n, width }: TilePlace): string {
  return `tile/${level}/${writeNumber(n)}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** The last tile of a level in a tree of `size` entries, which is not full; width 0: there is none. */
export function lastTile(size: number, level: number): { n: number; width: number } {
  const hashes = hashesAt(size, level);
  return { n: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH };
}

/** Groups of three digits, all but the last with `x` in front. */
function writeNumber(n: number): string {
  const digits = String(n);
  const padded = digits.padStart(3 * Math.ceil(digits.length / 3), '0');
  return padded.replaceAll(/\d{3}(?=\d)/g, 'x$&/');
}

/** In front of each entry, big-endian. */
export const ENTRY_LENGTH_BYTES = 2;
/** A bundle states the length of an entry in 16 bits. */
export const MAX_ENTRY_BYTES = 65_535;
/** The largest bundle that there can be. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (ENTRY_LENGTH_BYTES + MAX_ENTRY_BYTES);

/** The entries of a bundle (C2SP tlog-tiles, "Log Entries"); `null` unless they are exactly `count`. */
export function readBundle(bytes: Buffer, count: number): Buffer[] | null {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + ENTRY_LENGTH_BYTES;
    if (start > bytes.length) return null;
    at = start + bytes.readUInt16BE(at);
    if (at > bytes.length) return null;
    entries.push(bytes.subarray(start, at));
  }
  return entries.length === count ? entries : null;
}
