import { isRecord } from '../../api/is-record.js';

/** One thing that was changed; what was not set is null. */
interface Change {
  path: string;
  from: unknown;
  to: unknown;
  /** A restart is needed. */
  waits: boolean;
}

/** What the detail of an entry says was changed: settings of a reload, or the fields of a rule. */
export function changesOf(detail: unknown): readonly Change[] {
  if (!isRecord(detail)) return [];
  if (Array.isArray(detail.changes)) return detail.changes.flatMap(settingChange);
  return 'before' in detail && 'after' in detail ? fieldChanges('', detail.before, detail.after) : [];
}

/** Fields of fields by their dotted names; without one, the whole is nothing. */
function fieldChanges(path: string, from: unknown, to: unknown): readonly Change[] {
  if (!isRecord(from) && !isRecord(to))
    return path === '' || JSON.stringify(from) === JSON.stringify(to)
      ? []
      : [{ path, from, to, waits: false }];
  const [old, now] = [isRecord(from) ? from : {}, isRecord(to) ? to : {}];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name) =>
    fieldChanges(path === '' ? name : `${path}.${name}`, old[name] ?? null, now[name] ?? null),
  );
}

function settingChange(change: unknown): Change[] {
  if (!isRecord(change) || typeof change.path !== 'string') return [];
  const { path, from = null, to = null, waits } = change;
  return [{ path, from, to, waits: waits === true }];
}
