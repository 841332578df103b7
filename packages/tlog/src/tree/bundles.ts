import { Buffer } from 'node:buffer';

import { TILE_WIDTH } from './tiles.js';

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
