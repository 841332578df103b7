import type { DbTransaction, OpenTransaction } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';
import { storableJson } from '../../base/text/storable-text.js';
import { ALARM_KINDS, type KeyEventDraft } from './key-changes.js';
import type { AlarmBounds } from './saving/alarm-bounds.js';

/** Where and when a batch of key events happened. */
export interface KeyEventBatch {
  serverName: string;
  ts: number;
  /** The record that caused them; `null` for refused ones, which are not stored. */
  recordId: number | null;
  events: readonly KeyEventDraft[];
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
  { tx, onCommitted }: OpenTransaction,
  batches: readonly KeyEventBatch[],
  listener: KeyEventListener | null = null,
): Promise<void> {
  const alarming = batches.flatMap(({ serverName, ts, events }): RaisedAlarm[] =>
    events.filter(({ kind }) => ALARM_KINDS.includes(kind)).map((event) => ({ serverName, ts, event })),
  );
  const admitted = await listener?.alarms.admit(
    tx,
    alarming.map(({ serverName }) => serverName),
  );
  const raised = alarming.filter((_, index) => admitted?.[index] ?? true);
  const alarms = new Set(raised.map(({ event }) => event));
  const rows = batches.flatMap(({ serverName, recordId, ts, events }) =>
    events.map((event) => ({
      ...event,
      serverName,
      recordId,
      ts: BigInt(ts),
      detail: storableJson(event.detail),
      alarm: alarms.has(event),
    })),
  );
  await insertRows(tx, { table: 'key_event' }, rows);
  for (const { serverName, ts, events } of batches)
    await raiseAlarms(tx, { serverName, ts, count: events.filter((event) => alarms.has(event)).length });
  if (raised.length > 0) onCommitted(() => listener?.raised(raised));
}

/** An alarm and its first event stay until somebody acknowledges them, or until the alarm is dropped. */
async function raiseAlarms(
  { keyEvent, remoteServer }: DbTransaction,
  { serverName, ts, count }: { serverName: string; ts: number; count: number },
): Promise<void> {
  if (count === 0) return;
  const first = await keyEvent.findFirst({
    where: { serverName, alarm: true, ts: BigInt(ts) },
    orderBy: { seq: 'asc' },
  });
  await remoteServer.updateMany({ where: { serverName }, data: { alarmCount: { increment: count } } });
  const alarmSeq = first?.seq ?? null;
  await remoteServer.updateMany({ where: { serverName, alarmSeq: null }, data: { alarmSeq } });
}
