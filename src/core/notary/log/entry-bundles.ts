import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { ENTRY_LENGTH_BYTES, TILE_WIDTH, type TilePlace } from '@vidimus/tlog';

import type { LogStore } from './log-store.js';

/** What is read in one turn of the event loop; the largest bundle has 16 MB. */
const BYTES_PER_TURN = 512 * 1024;
/** So many of the longest entries, of 64 kB. */
const ENTRIES_PER_TURN = 8;

/** How long a bundle is, before it is read. */
export async function bundleBytes(store: LogStore, { n, width }: TilePlace): Promise<number> {
  return (await store.entryBytes(n * TILE_WIDTH, width)) + width * ENTRY_LENGTH_BYTES;
}

/** Each entry with its length in front (C2SP tlog-tiles, "Log Entries"); of a long one a few in a turn of the event loop. */
export async function readBundle(store: LogStore, place: TilePlace): Promise<Buffer> {
  const { n, width } = place;
  const bundle = Buffer.allocUnsafe(await bundleBytes(store, place));
  const entriesPerTurn = bundle.length > BYTES_PER_TURN ? ENTRIES_PER_TURN : width;
  let at = 0;
  for (let read = 0; read < width; read += entriesPerTurn) {
    if (read > 0) await nextTurn();
    const count = Math.min(entriesPerTurn, width - read);
    for (const entry of await store.readEntries(n * TILE_WIDTH + read, count)) {
      at = bundle.writeUInt16BE(entry.length, at);
      at += entry.copy(bundle, at);
    }
  }
  if (at !== bundle.length) throw new Error(`the log has lost entries of the bundle ${n}`);
  return bundle;
}
