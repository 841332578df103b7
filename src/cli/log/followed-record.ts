import type { Buffer } from 'node:buffer';

import { ApiError } from '../../core/base/errors/api-error.js';
import {
  whyRecordRefused,
  readFollowedEntry,
  type FollowedEntry,
} from '../../core/notary/log/follower/followed-entry.js';
import type { ServedBytes } from '../../core/notary/log/follower/log-contradiction.js';
import type { ReadEntries } from '../../core/notary/log/follower/log-follower.js';
import type { ReadPath } from '../../core/notary/log/follower/read-place.js';
import { MAX_CONNECTIONS } from '../../core/notary/log/follower/remote-log.js';

/** An entry, and what was found out about it. */
export interface CheckedEntry {
  index: number;
  /** As it is in the tree. */
  bytes: Buffer;
  /** `null`: an entry of another form than ours. */
  entry: FollowedEntry | null;
  /** Of the record it names: `deleted` since, `left_out`, or what is wrong with it. */
  record: 'verified' | 'deleted' | 'left_out' | { refused: string; served?: ServedBytes };
}

/** The canonical form may be larger than what was published. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/**
 * Fetches the records that entries name and checks them. Rejects with `ApiError` when one cannot be fetched. `isWanted`
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
      const entry = readFollowedEntry(bytes);
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
  entry: FollowedEntry,
  readPath: ReadPath,
): Promise<CheckedEntry['record']> {
  const path = `record/${entry.recordSha256}`;
  try {
    const record = await readPath(path, MAX_RECORD_BYTES);
    if (record === null) return 'deleted';
    const refused = whyRecordRefused(bytes, entry, record);
    return refused === null ? 'verified' : { refused, served: { path, bytes: record } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'too_large') throw error;
    return { refused: 'too_large' };
  }
}
