import { createRows, type DbTransaction, type OpenTransaction } from '../../store/db.js';
import { storableJson } from '../../base/text/storable-text.js';
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
  { tx, onCommitted }: OpenTransaction,
  drafts: readonly KeyEventBatch[],
  listener: KeyEventListener | null = null,
): Promise<void> {
  const batches = await withAlarms(tx, drafts, listener?.alarms ?? null);
  await createRows((piece) => tx.keyEvent.createMany(piece), batches.flatMap(rowsOf));
  for (const batch of batches) await raiseAlarm(tx, batch);
  const raised = batches.flatMap(({ serverName, ts, events }) =>
    events.filter(({ alarm }) => alarm).map((event) => ({ serverName, ts, event })),
  );
  if (raised.length > 0) onCommitted(() => listener?.raised(raised));
}

const isAlarming = ({ kind }: KeyEventDraft): boolean => ALARM_KINDS.includes(kind);

async function withAlarms(
  tx: DbTransaction,
  drafts: readonly KeyEventBatch[],
  bounds: AlarmBounds | null,
): Promise<KeyEventBatch<AppendedEvent>[]> {
  const alarming = drafts.flatMap(({ serverName, events }) =>
    events.filter(isAlarming).map(() => serverName),
  );
  const admitted = await bounds?.admit(tx, alarming);
  let next = 0;
  const isAdmitted = (): boolean => admitted?.[next++] ?? true;
  return drafts.map((batch) => ({
    ...batch,
    events: batch.events.map((event) => ({ ...event, alarm: isAlarming(event) && isAdmitted() })),
  }));
}

/** An alarm stays until somebody acknowledges it, and with it the first of its events, or until it gives way. */
async function raiseAlarm(
  { keyEvent, remoteServer }: DbTransaction,
  { serverName, ts, events }: KeyEventBatch<AppendedEvent>,
): Promise<void> {
  const alarms = events.filter(({ alarm }) => alarm).length;
  if (alarms === 0) return;
  const first = await keyEvent.findFirst({
    where: { serverName, alarm: true, ts: BigInt(ts) },
    orderBy: { seq: 'asc' },
  });
  await remoteServer.updateMany({ where: { serverName }, data: { alarmCount: { increment: alarms } } });
  const alarmSeq = first?.seq ?? null;
  await remoteServer.updateMany({ where: { serverName, alarmSeq: null }, data: { alarmSeq } });
}

function rowsOf({ serverName, recordId, ts, events }: KeyEventBatch<AppendedEvent>) {
  return events.map(({ kind, severity, keyId, detail, alarm }) => ({
    ts: BigInt(ts),
    serverName,
    recordId,
    kind,
    severity,
    keyId,
    detail: storableJson(detail),
    alarm,
  }));
}
