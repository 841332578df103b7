import type { Buffer } from 'node:buffer';

import { MAX_ENTRY_BYTES } from '../log-entry.js';
import { TILE_WIDTH } from '../tree/tiles.js';

/** In front of each entry. */
const LENGTH_BYTES = 2;

/** The largest bundle that there can be. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (LENGTH_BYTES + MAX_ENTRY_BYTES);

/** The entries of a bundle (C2SP tlog-tiles, "Log Entries"); `null` unless they are `count`, and nothing else. */
export function readBundle(bytes: Buffer, count: number): Buffer[] | null {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = at + LENGTH_BYTES;
    if (start > bytes.length) return null;
    at = start + bytes.readUInt16BE(at);
    if (at > bytes.length) return null;
    entries.push(bytes.subarray(start, at));
  }
  return entries.length === count ? entries : null;
}
