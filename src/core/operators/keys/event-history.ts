import {
  KEY_EVENT_KINDS,
  KEY_EVENT_SEVERITIES,
  type KeyEventKind,
  type KeyEventSeverity,
} from '../../notary/keys/key-changes.js';
import { isRecord } from '../../base/json/is-record.js';
import { enumColumn } from '../../store/enum-column.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import type { Listing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import { eventSentence } from './event-sentences.js';
import { findAcknowledgements, type Acknowledgement } from './key-alarms.js';

/** Something that happened to the keys of a server; a row of key_event. */
export interface EventRow {
  seq: number;
  /** POSIX ms. */
  ts: number;
  serverName: string;
  kind: KeyEventKind;
  severity: KeyEventSeverity;
  keyId: string | null;
  /** The record that it came with; `null` when there was none. */
  recordId: number | null;
  detail: Readonly<Record<string, string>>;
  /** Whether the alarm is acknowledged; `null` for events that are no alarms, or no longer. */
  isAcknowledged: boolean | null;
  acknowledgement: Acknowledgement | null;
  /** One sentence for people. */
  sentence: string;
}

/** Events of a server, newest first. */
export function createEventList(database: Database): RecordList<string, number, EventRow> {
  return new RecordList(database, {
    listing,
    find: (seqs) => findEvents(database, seqs),
    keyOf: ({ seq }) => seq,
  });
}

const kindOf = enumColumn(KEY_EVENT_KINDS, 'record_refused');
const severityOf = enumColumn(KEY_EVENT_SEVERITIES, 'info');

function textsOf(column: unknown): Record<string, string> {
  if (!isRecord(column)) return {};
  return Object.fromEntries(Object.entries(column).map(([name, value]) => [name, String(value)]));
}

/** Events by number, in any order. */
export async function findEvents(database: Database, seqs: readonly number[]): Promise<EventRow[]> {
  const rows = await database.client.keyEvent.findMany({ where: { seq: { in: [...seqs] } } });
  const alarms = rows.filter(({ alarm }) => alarm);
  const servers = [...new Set(alarms.map(({ serverName }) => serverName))];
  const acknowledged = servers.length === 0 ? [] : await findAcknowledgements(database, servers);
  const open = await openSeqs(database, servers);
  return rows.map(({ seq, ts, serverName, kind, keyId, recordId, alarm, ...row }) => {
    const detail = textsOf(row.detail);
    const acknowledgement = alarm
      ? acknowledged.find(
          (each) => each.serverName === serverName && each.fromSeq <= seq && seq <= each.throughSeq,
        )
      : undefined;
    const isOpen = alarm && seq >= (open.get(serverName) ?? Infinity);
    return {
      seq,
      ts: Number(ts),
      serverName,
      kind: kindOf(kind),
      severity: severityOf(row.severity),
      keyId,
      recordId,
      detail,
      isAcknowledged: acknowledgement === undefined ? (isOpen ? false : null) : true,
      acknowledgement: acknowledgement ?? null,
      sentence: eventSentence({ kind, keyId, detail }),
    };
  });
}

/** The first open alarm of each server that has one. */
async function openSeqs({ client }: Database, serverNames: readonly string[]): Promise<Map<string, number>> {
  if (serverNames.length === 0) return new Map();
  const servers = await client.remoteServer.findMany({
    where: { serverName: { in: [...serverNames] }, alarmSeq: { not: null } },
    select: { serverName: true, alarmSeq: true },
  });
  return new Map(servers.map(({ serverName, alarmSeq }) => [serverName, alarmSeq ?? Infinity]));
}

function listing(serverName: string): Listing {
  return { ...newestFirst('keyEvent', 'seq'), indexed: [{ serverName }], residual: [], refinements: [] };
}
