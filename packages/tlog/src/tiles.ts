import { Buffer } from 'node:buffer';

/** Hashes of a full tile, and entries of a full bundle (C2SP tlog-tiles, "Merkle Tree"). */
export const TILE_WIDTH = 256;

/** A tile or bundle as clients request it; one with a `width` below 256 is partial. */
export interface TilePlace {
  /** 0 holds hashes of entries, each further level roots of full tiles; `entries`: a bundle. */
  level: number | 'entries';
  n: number;
  width: number;
}

/** How many hashes a tree of `size` entries has at a level. */
export function hashesAt(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** Whether a tree of `size` entries has all of this tile or bundle. */
export function isWithin({ level, n, width }: TilePlace, size: number): boolean {
  return n * TILE_WIDTH + width <= hashesAt(size, level === 'entries' ? 0 : level);
}

/** Enough for as many entries as fit into an exact number. */
const MAX_LEVEL = 5;
const PLACE = /^(entries|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Reads what follows `tile/` in a path, such as `0/x001/234` or `entries/000.p/17`; `null`: not a valid path. */
export function parseTilePlace(path: string): TilePlace | null {
  const [, where = '', digits = '', partial] = PLACE.exec(path) ?? [];
  const level = where === 'entries' ? ('entries' as const) : Number(where);
  const n = Number(digits.replaceAll(/[x/]/g, ''));
  const place = { level, n, width: partial === undefined ? TILE_WIDTH : Number(partial) };
  const isPossible = Number.isSafeInteger(n) && (level === 'entries' || level <= MAX_LEVEL);
  const isFitting = place.width > 0 && place.width <= TILE_WIDTH;
  // The written form must be the same, so each place has one path.
  return isPossible && isFitting && tilePath(place) === `tile/${path}` ? place : null;
}

/** The path of a tile or bundle below the address of the log. */
export function tilePath({ level, n, width }: TilePlace): string {
  const digits = String(n);
  const padded = digits.padStart(3 * Math.ceil(digits.length / 3), '0');
  const grouped = padded.replaceAll(/\d{3}(?=\d)/g, 'x$&/');
  return `tile/${level}/${grouped}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** In front of each entry, big-endian. */
const ENTRY_LENGTH_BYTES = 2;
/** A bundle states the length of an entry in 16 bits. */
export const MAX_ENTRY_BYTES = 65_535;
/** Size of the largest possible bundle. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (ENTRY_LENGTH_BYTES + MAX_ENTRY_BYTES);

/** Entries as a bundle (C2SP tlog-tiles, "Log Entries"). Pieces can be concatenated. */
export function writeBundle(entries: readonly Buffer[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const length = Buffer.alloc(ENTRY_LENGTH_BYTES);
    length.writeUInt16BE(entry.length);
    return [length, entry];
  });
  return Buffer.concat(parts);
}

/** The entries of a bundle; `null` unless they are exactly `count`. */
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
