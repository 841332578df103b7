import { insertRows, type InsertRow } from '../../store/sql/insert-rows.js';
import { sql } from '../../store/sql/sql.js';
import type { SqlRunner, TransactionRunner } from '../../store/sql/plain-sql.js';
import { storableJsonText } from '../../base/text/storable-text.js';
import { ALARM_KINDS, type KeyEventDraft } from './key-changes.js';
import type { AlarmBounds } from './saving/alarm-bounds.js';

/** Where and when a batch of key events happened. */
export interface KeyEventBatch<Event extends KeyEventDraft = KeyEventDraft> {
  serverName: string;
  ts: number;
  /** The record that caused them; `null` for refused ones, which are not stored. */
  recordId: number | null;
  events: readonly Event[];
}

/** An event as it was appended. */
interface AppendedEvent extends KeyEventDraft {
  /** Whether it raised an alarm. */
  alarm: boolean;
}

/** An event that raised an alarm. */
export interface RaisedAlarm {
  serverName: string;
  /** When it happened, POSIX ms. */
  ts: number;
  event: KeyEventDraft;
}

/** Bounds alarms, and sends those that are raised. */
export interface KeyEventListener {
  alarms: AlarmBounds;
  /** Called once the transaction that stored them is committed. */
  raised(alarms: readonly RaisedAlarm[]): void;
}

/** Appends events to key_event, inside the caller's transaction. Without a listener alarms have no bound. */
export async function appendKeyEvents(
  runner: TransactionRunner,
  drafts: readonly KeyEventBatch[],
  listener: KeyEventListener | null = null,
): Promise<void> {
  const batches = await withAlarms(runner, drafts, listener?.alarms ?? null);
  await insertRows(runner, { table: 'key_event' }, batches.flatMap(rowsOf));
  for (const batch of batches) await raiseAlarm(runner, batch);
  const raised = batches.flatMap(({ serverName, ts, events }) =>
    events.filter(({ alarm }) => alarm).map((event) => ({ serverName, ts, event })),
  );
  if (raised.length > 0) runner.onCommitted(() => listener?.raised(raised));
}

const isAlarming = ({ kind }: KeyEventDraft): boolean => ALARM_KINDS.includes(kind);

async function withAlarms(
  runner: SqlRunner,
  drafts: readonly KeyEventBatch[],
  bounds: AlarmBounds | null,
): Promise<KeyEventBatch<AppendedEvent>[]> {
  const alarming = drafts.flatMap(({ serverName, events }) =>
    events.filter(isAlarming).map(() => serverName),
  );
  const admitted = await bounds?.admit(runner, alarming);
  let next = 0;
  const isAdmitted = (): boolean => admitted?.[next++] ?? true;
  return drafts.map((batch) => ({
    ...batch,
    events: batch.events.map((event) => ({ ...event, alarm: isAlarming(event) && isAdmitted() })),
  }));
}

/** An alarm stays until somebody acknowledges it, and with it the first of its events, or until it gives way. */
async function raiseAlarm(
  runner: SqlRunner,
  { serverName, ts, events }: KeyEventBatch<AppendedEvent>,
): Promise<void> {
  const alarms = events.filter(({ alarm }) => alarm).length;
  if (alarms === 0) return;
  await runner.write(sql`UPDATE remote_server SET alarm_count = alarm_count + ${alarms},
    alarm_seq = COALESCE(alarm_seq, (
      SELECT MIN(seq) FROM key_event
      WHERE server_name = ${serverName} AND alarm = TRUE AND ts = ${BigInt(ts)}))
    WHERE server_name = ${serverName}`);
}

function rowsOf({ serverName, recordId, ts, events }: KeyEventBatch<AppendedEvent>): InsertRow[] {
  return events.map(({ kind, severity, keyId, detail, alarm }) => ({
    ts: BigInt(ts),
    server_name: serverName,
    record_id: recordId,
    kind,
    severity,
    key_id: keyId,
    detail: storableJsonText(detail),
    alarm,
  }));
}
