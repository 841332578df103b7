import type { Buffer } from 'node:buffer';

import { UnavailableError } from '../http.js';
import { readKeyEntry, type ReadKeyEntry } from '../records/key-entry.js';
import { whyRecordRefused } from '../records/key-record.js';
import type { ServedBytes, ReadPath } from './read-place.js';
import type { ReadEntries } from './log-follower.js';

/** An entry, and what was found out about it. */
export interface CheckedEntry {
  index: number;
  /** As it is in the tree. */
  bytes: Buffer;
  /** `null`: an entry of another form than ours. */
  entry: ReadKeyEntry | null;
  /** Of the record it names: `deleted` since, `left_out`, or what is wrong with it. */
  record: 'verified' | 'deleted' | 'left_out' | { refused: string; served?: ServedBytes };
}

/** As many requests at a time as a browser sends to one server. */
const MAX_CONNECTIONS = 6;
/** The canonical form may be larger than what was published. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/**
 * Fetches the records that entries name and checks them. Rejects with `UnavailableError` when one cannot be fetched. `isWanted`
 * says of which names.
 */
export async function checkEntries(
  { from, entries }: ReadEntries,
  readPath: ReadPath,
  isWanted: (serverName: string) => boolean,
): Promise<CheckedEntry[]> {
  const checked: CheckedEntry[] = [];
  const waiting = entries.entries();
  const work = async (): Promise<void> => {
    for (const [offset, bytes] of waiting) {
      const entry = readKeyEntry(bytes);
      const isLeftOut = entry === null || !isWanted(entry.serverName);
      const record = isLeftOut ? 'left_out' : await checkRecord(bytes, entry, readPath);
      checked.push({ index: from + offset, bytes, entry, record });
    }
  };
  await Promise.all(Array.from({ length: MAX_CONNECTIONS }, work));
  return checked.toSorted((a, b) => a.index - b.index);
}

async function checkRecord(
  bytes: Buffer,
  entry: ReadKeyEntry,
  readPath: ReadPath,
): Promise<CheckedEntry['record']> {
  const path = `record/${entry.recordSha256}`;
  try {
    const record = await readPath(path, MAX_RECORD_BYTES);
    if (record === null) return 'deleted';
    const refused = whyRecordRefused(bytes, entry, record);
    return refused === null ? 'verified' : { refused, served: { path, bytes: record } };
  } catch (error) {
    if (!(error instanceof UnavailableError) || error.reason !== 'too_large') throw error;
    return { refused: 'too_large' };
  }
}
