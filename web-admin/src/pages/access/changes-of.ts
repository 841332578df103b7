import { isRecord } from '../../api/is-record.js';

/** One thing that was changed; what was not set is null. */
interface Change {
  path: string;
  from: unknown;
  to: unknown;
  /** A restart is needed. */
  waits: boolean;
}

/** Settings that a reload changed, as the detail of an entry says. */
export function changesOf(detail: unknown): readonly Change[] {
  return isRecord(detail) && Array.isArray(detail.changes) ? detail.changes.flatMap(settingChange) : [];
}

function settingChange(change: unknown): Change[] {
  if (!isRecord(change) || typeof change.path !== 'string') return [];
  const { path, from = null, to = null, waits } = change;
  return [{ path, from, to, waits: waits === true }];
}
