import { HOUR_MS } from '../../base/clock.js';
import { isJsonInteger, isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { storableText, storableJsonText } from '../../base/text/strings.js';
import { ED25519, isStorableKeyId } from '../key-record/key-record.js';
import { decodeBase64, encodeBase64 } from '../signing/signer.js';
import type { DbTransaction, OpenTransaction } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';

/** A key as the newest record of its server lists it; one row of verify_key. */
export interface KnownKey {
  keyId: string;
  /** Unpadded base64. */
  publicKey: string;
  /** Set when the key stands under `old_verify_keys`; POSIX ms, exact. */
  expiredTs: number | bigint | null;
}

/** Every key id a record lists, of algorithms we do not know too: all of them stay answerable. */
export function listedKeys(record: JsonObject): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  // An id listed both ways is a current key.
  for (const [isOld, listed] of [
    [true, record['old_verify_keys']],
    [false, record['verify_keys']],
  ] as const) {
    if (!isJsonObject(listed)) continue;
    for (const [keyId, entry] of Object.entries(listed)) {
      // A record may list such ids for algorithms we do not know.
      if (!isJsonObject(entry) || !isStorableKeyId(keyId)) continue;
      const oldTs = isJsonInteger(entry['expired_ts']) ? entry['expired_ts'] : 0;
      keys.set(keyId, { keyId, publicKey: publicKeyOf(keyId, entry), expiredTs: isOld ? oldTs : null });
    }
  }
  return keys;
}

function publicKeyOf(keyId: string, { key }: JsonObject): string {
  if (typeof key !== 'string') return '';
  const bytes = keyId.startsWith(ED25519) ? decodeBase64(key) : null;
  return bytes === null ? storableText(key) : encodeBase64(bytes);
}

/** Changes after which a key ID means something else. */
const KEY_CHANGE_KINDS = [
  'key_added',
  'key_removed',
  'key_retired',
  'key_reinstated',
  'key_replaced',
] as const;

export const KEY_EVENT_KINDS = [
  'server_first_seen',
  ...KEY_CHANGE_KINDS,
  'key_unproven',
  'validity_went_backwards',
  'record_refused',
  'weak_key_refused',
  'banned_key_refused',
  'record_deleted',
] as const;
export type KeyEventKind = (typeof KEY_EVENT_KINDS)[number];

/** Events that raise an alarm, as far as its bounds admit it. */
const ALARM_KINDS: readonly KeyEventKind[] = ['key_replaced'];

export const KEY_CHANGES: ReadonlySet<KeyEventKind> = new Set(KEY_CHANGE_KINDS);

export const KEY_EVENT_SEVERITIES = ['info', 'warning', 'alert'] as const;
export type KeyEventSeverity = (typeof KEY_EVENT_SEVERITIES)[number];

/** Something that happened to a server's keys; becomes one row of key_event. */
export interface KeyEventDraft {
  kind: KeyEventKind;
  severity: KeyEventSeverity;
  keyId: string | null;
  detail: Record<string, string>;
}

/** The keys of a server before and after a fetch. */
export interface KeyChange {
  /** Every key id ever seen of the server. */
  known: ReadonlyMap<string, KnownKey>;
  /** Key ids of the record that was the newest before; `null` when the server was unknown. */
  previousKeyIds: ReadonlySet<string> | null;
  previousValidUntilTs: number | bigint | null;
  /** Keys of the record just fetched. */
  current: ReadonlyMap<string, KnownKey>;
  validUntilTs: number | bigint;
  /** Listed verify keys that did not sign the record. */
  unprovenKeyIds: readonly string[];
}

/** What a fetched record changed, in a stable order. Empty when nothing did. */
export function diffKeys(change: KeyChange): KeyEventDraft[] {
  const events: KeyEventDraft[] = [];
  if (change.previousKeyIds === null) {
    events.push(draft('server_first_seen', 'info', { detail: { keys: String(change.current.size) } }));
  }
  for (const key of change.current.values()) events.push(...eventsOfKey(key, change));
  for (const keyId of change.previousKeyIds ?? []) {
    if (!change.current.has(keyId)) events.push(draft('key_removed', 'warning', { keyId }));
  }
  const { validUntilTs: to, previousValidUntilTs: from } = change;
  if (from !== null && BigInt(from) - BigInt(to) > VALIDITY_SLACK_MS) {
    const detail = { from: String(from), to: String(to) };
    events.push(draft('validity_went_backwards', 'warning', { detail }));
  }
  return events;
}

/** Servers behind one name, and caches in front of them, do not agree to the millisecond. */
const VALIDITY_SLACK_MS = BigInt(HOUR_MS);

function eventsOfKey(key: KnownKey, change: KeyChange): KeyEventDraft[] {
  const before = change.known.get(key.keyId);
  const { keyId } = key;
  if (before === undefined) {
    const detail = { public_key: key.publicKey, state: key.expiredTs === null ? 'verify' : 'old' };
    const added = draft('key_added', 'info', { keyId, detail });
    const unproven = change.unprovenKeyIds.includes(keyId);
    return unproven ? [added, draft('key_unproven', 'warning', { keyId })] : [added];
  }
  const events: KeyEventDraft[] = [];
  if (before.publicKey !== key.publicKey) {
    const detail = { from: before.publicKey, to: key.publicKey };
    events.push(draft('key_replaced', 'alert', { keyId, detail }));
  }
  if (before.expiredTs === null && key.expiredTs !== null) {
    events.push(draft('key_retired', 'info', { keyId, detail: { expired_ts: String(key.expiredTs) } }));
  }
  if (before.expiredTs !== null && key.expiredTs === null) {
    events.push(draft('key_reinstated', 'warning', { keyId }));
  }
  return events;
}

/** The event a refused record leaves behind; `null` when the fetch failed for another reason than the record. */
export function recordErrorEvent(reason: string, message: string): KeyEventDraft | null {
  if (!reason.startsWith('record_') && !reason.startsWith('json_')) return null;
  const detail = { reason, message };
  if (reason === 'record_weak_key') return draft('weak_key_refused', 'alert', { detail });
  if (reason === 'record_banned_key') return draft('banned_key_refused', 'alert', { detail });
  return draft('record_refused', 'warning', { detail });
}

function draft(
  kind: KeyEventKind,
  severity: KeyEventSeverity,
  rest: { keyId?: string; detail?: Record<string, string> } = {},
): KeyEventDraft {
  return { kind, severity, keyId: rest.keyId ?? null, detail: rest.detail ?? {} };
}

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

/** Limits alarms, and sends those that are raised. */
export interface KeyEventListener {
  /** Whether a further alarm of the server may be raised. */
  admits(serverName: string): boolean;
  /** Called once the transaction that stored them is committed. */
  raised(alarms: readonly RaisedAlarm[]): void;
}

/** Appends events to key_event, inside the caller's transaction. Without a listener alarms have no limit. */
export async function appendKeyEvents(
  { tx, onCommitted }: OpenTransaction,
  batches: readonly KeyEventBatch[],
  listener: KeyEventListener | null = null,
): Promise<void> {
  const alarming = batches.flatMap(({ serverName, ts, events }): RaisedAlarm[] =>
    events.filter(({ kind }) => ALARM_KINDS.includes(kind)).map((event) => ({ serverName, ts, event })),
  );
  const raised = alarming.filter(({ serverName }) => listener?.admits(serverName) ?? true);
  const alarms = new Set(raised.map(({ event }) => event));
  const rows = batches.flatMap(({ serverName, recordId, ts, events }) =>
    events.map((event) => ({
      ...event,
      serverName,
      recordId,
      ts,
      detail: storableJsonText(event.detail),
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
  tx: DbTransaction,
  { serverName, ts, count }: { serverName: string; ts: number; count: number },
): Promise<void> {
  if (count === 0) return;
  const first = await tx.keyEvent.findFirst({
    where: { serverName, alarm: true, ts: BigInt(ts) },
    orderBy: { seq: 'asc' },
  });
  await tx.remoteServer.updateMany({ where: { serverName }, data: { alarmCount: { increment: count } } });
  const alarmSeq = first?.seq ?? null;
  await tx.remoteServer.updateMany({ where: { serverName, alarmSeq: null }, data: { alarmSeq } });
}
