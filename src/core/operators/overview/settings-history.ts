import { isRecord } from '../../base/json/is-record.js';
import type { Clock } from '../../base/clock.js';
import type { SettingChange } from '../../base/running-setting.js';
import { storableText } from '../../base/text/storable-text.js';
import type { Database } from '../../store/db.js';
import type { AuditLog } from '../../access/operators/audit.js';

/** What a setting is, for comparison: its value; of a secret, whether it is set. */
export type SettingValues = ReadonlyMap<string, unknown>;

export interface SettingsHistoryOptions {
  database: Database;
  auditLog: AuditLog;
  clock: Clock;
  /** Each has settings of its own. */
  instance: string;
}

/** Longer values stand in audit by their length. */
const MAX_VALUE_CHARACTERS = 2000;
const MAX_CHANGES = 200;

/** Writes an audit entry when an instance starts with other settings than it last started with. */
export async function noteSettings(
  now: SettingValues,
  { database, auditLog, clock, instance }: SettingsHistoryOptions,
): Promise<void> {
  const { stateValue } = database.client;
  const name = `settings of ${instance}`;
  const seen = await stateValue.findFirst({ where: { name } });
  const settings = storableText(JSON.stringify(Object.fromEntries(now)));
  if (seen?.value === settings) return;
  const changes = typeof seen?.value === 'string' ? changesOf(readValues(seen.value), now) : [];
  if (changes.length > 0) {
    await auditLog.record({
      actor: instance,
      role: 'admin',
      method: 'command',
      action: 'start',
      targetType: 'Settings',
      targetId: instance,
      summary: 'Started with other settings than the last time',
      outcome: 'ok',
      address: null,
      requestId: '',
      detail: { changes: changes.slice(0, MAX_CHANGES) },
    });
  }
  const row = { value: settings, ts: BigInt(clock.now()) };
  await stateValue.upsert({ where: { name }, create: { name, ...row }, update: row });
}

/** A setting that another version knows, and this one does not, has changed to nothing. */
function changesOf(before: SettingValues, now: SettingValues): SettingChange[] {
  const paths = [...new Set([...before.keys(), ...now.keys()])];
  return paths.flatMap((path) => {
    const [from, to] = [before.get(path) ?? null, now.get(path) ?? null];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ path, from: shown(from), to: shown(to), waits: false }];
  });
}

function shown(value: unknown): unknown {
  const { length } = JSON.stringify(value);
  return length > MAX_VALUE_CHARACTERS ? `${length} characters` : value;
}

function readValues(text: string): SettingValues {
  const parsed: unknown = JSON.parse(text);
  return new Map(isRecord(parsed) ? Object.entries(parsed) : []);
}
