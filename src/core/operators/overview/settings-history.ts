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
  const { settingsSeen } = database.client;
  const seen = await settingsSeen.findFirst({ where: { instance } });
  const settings = storableText(JSON.stringify(Object.fromEntries(now)));
  if (seen?.settings === settings) return;
  const changes = seen === null ? [] : changesOf(readValues(seen.settings), now);
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
  const row = { settings, ts: BigInt(clock.now()) };
  await settingsSeen.upsert({ where: { instance }, create: { instance, ...row }, update: row });
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
