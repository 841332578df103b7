import { insertRows } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { encodeLogEntry, type LogEntryEvent } from '../../log/log-entry.js';
import { KEY_CHANGES, type KeyEventDraft } from '../key-changes.js';
import type { FetchedRecord } from './record-rows.js';

/** A record that was saved, and what it changed. */
export interface LogDraft extends FetchedRecord {
  /** Whether it had not been stored before. */
  isNew: boolean;
  events: readonly KeyEventDraft[];
}

/**
 * Queues an entry for each record whose bytes are new and for each that changed what a key ID means, inside the
 * transaction that saves them: what is served is in the queue or in the log.
 */
export async function queueLogEntries(
  runner: SqlRunner,
  drafts: readonly LogDraft[],
  nowTs: number,
): Promise<void> {
  const rows = drafts.flatMap((draft) => {
    const event = eventOf(draft);
    if (event === null) return [];
    const { serverName, sha256, record } = draft.record;
    const content = { event, serverName, recordSha256: sha256, record, observedTs: draft.fetchedTs };
    const recordSha256 = Buffer.from(sha256, 'hex');
    return [{ record_sha256: recordSha256, entry: encodeLogEntry(content), queued_ts: BigInt(nowTs) }];
  });
  await insertRows(runner, { table: 'log_queue' }, rows);
}

/** `null`: nothing that the log does not say already. */
function eventOf({ isNew, events }: LogDraft): LogEntryEvent | null {
  if (events.some(({ kind }) => kind === 'server_first_seen')) return 'server_first_seen';
  if (events.some(({ kind }) => KEY_CHANGES.has(kind))) return 'keys_changed';
  return isNew ? 'record' : null;
}
