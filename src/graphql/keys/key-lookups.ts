import { findEvents } from '../../core/operators/keys/event-history.js';
import { findFetches, findLatestFetches } from '../../core/operators/keys/fetch-history.js';
import { findAlarms } from '../../core/operators/keys/key-alarms.js';
import { findEntriesOfRecords, findEntriesOfServers } from '../../core/operators/keys/key-entries.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { rowOfKey, toNodeId } from '../nodes/node-id.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toSigningKey, type SigningKey } from '../own-keys/signing-key.js';
import { toKeyEvent, type KeyEvent } from './key-event.js';
import { toKeyFetch, type KeyFetch } from './key-fetch.js';
import { recordIdOfKey, toKeyRecord, type KeyRecord } from './key-record.js';
import { serverByName } from './server.type.js';

/** The open alarms of each server, newest first. */
export const alarmsOfServer: BatchLookup<string, KeyEvent[]> = async (names, { services: { database } }) => {
  const rows = await findEvents(database, await findAlarms(database, names));
  const newestFirst = rows.toSorted((a, b) => b.seq - a.seq);
  return names.map((name) => newestFirst.filter(({ serverName }) => serverName === name).map(toKeyEvent));
};

/** The latest fetch of each server. */
export const latestFetchOf: BatchLookup<string, KeyFetch> = async (names, { services }) => {
  const rows = await findLatestFetches(services.database, names);
  const found = new Map(rows.map((row) => [row.serverName, toKeyFetch(row)]));
  return names.map((name) => found.get(name) ?? null);
};

const fetchByKey = loadRows((ids, { services }) => findFetches(services.database, ids), toKeyFetch);

const eventByKey: BatchLookup<string, KeyEvent> = async (keys, { services }) => {
  const seqs = keys.map(rowOfKey).filter((seq) => seq !== null);
  const rows = await findEvents(services.database, seqs);
  const found = new Map(rows.map((row) => [String(row.seq), toKeyEvent(row)]));
  return keys.map((key) => found.get(key) ?? null);
};

/** Keys of servers by the key in their ids. */
export const recordByKey: BatchLookup<string, KeyRecord> = async (keys, { services }) => {
  const recordIds = keys.map(recordIdOfKey).filter((id) => id !== null);
  const entries = await findEntriesOfRecords(services.database.client, recordIds);
  const nowTs = services.clock.now();
  const records = entries.map((entry) => toKeyRecord(entry, nowTs));
  const found = new Map(records.map((record) => [record.id, record]));
  return keys.map((key) => found.get(toNodeId('KeyRecord', key)) ?? null);
};

/** All keys of servers. */
export async function recordsOfServers(
  names: readonly string[],
  { services }: GraphqlContext,
): Promise<KeyRecord[]> {
  const entries = await findEntriesOfServers(services.database.client, names);
  return entries.map((entry) => toKeyRecord(entry, services.clock.now()));
}

const signingKeyById: BatchLookup<string, SigningKey> = async (keyIds, { services }) => {
  const keys = await services.keys.signingKeys();
  const found = new Map(keys.map((key) => [key.keyId, toSigningKey(key)]));
  return keyIds.map((keyId) => found.get(keyId) ?? null);
};

export const KEY_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'RemoteServer', requires: 'viewer', load: serverByName },
  { typeName: 'KeyRecord', requires: 'viewer', load: recordByKey },
  { typeName: 'KeyFetch', requires: 'viewer', load: fetchByKey },
  { typeName: 'KeyEvent', requires: 'viewer', load: eventByKey },
  { typeName: 'SigningKey', requires: 'viewer', load: signingKeyById },
];
