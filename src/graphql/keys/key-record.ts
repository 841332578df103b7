import { createHash } from 'node:crypto';

import { GraphQLSafeInt, GraphQLJSON } from 'graphql-scalars';
import { Int, ObjectType, Resolver } from 'type-graphql';

import { toPlainJson } from '../../core/base/json/json-value.js';
import type { RecordBand as Band } from '../../core/operators/keys/key-history.js';
import { type KeyEntry, type RecordView, viewRecords } from '../../core/operators/keys/key-records.js';
import { keyStateOf } from '../../core/operators/keys/servers.js';
import { connectionOf } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { field, nullable, objectFields, nodeFields, rowOfKey, toNodeId } from '../common/fields.js';
import { Detail } from '../common/operations.js';
import { lookupBy, type GraphqlContext } from '../context.js';
import { KeyKind, KeyState } from './enums.js';

@ObjectType({ description: 'A verified signature of a record' })
class SignatureCheck extends objectFields({
  signer: field(String, 'Server name of the signer'),
  keyId: field(String, 'Key ID of the signing key'),
  valid: field(Boolean, 'Whether the signature is valid'),
  message: nullable(String, 'Why it is not valid; null if it is'),
}) {}

@ObjectType({ description: 'A key of a server with the newest record that lists it' })
export class KeyRecord extends nodeFields({
  keyId: field(String, 'Key ID, such as ed25519:auto'),
  kind: field(KeyKind, 'Where the record lists it'),
  key: field(String, 'Public key in Base64'),
  state: field(KeyState, 'State of the record'),
  addedAt: field(Date, 'When the record was fetched'),
  validUntil: field(Date, 'When the record expires'),
  validUntilMs: field(GraphQLSafeInt, 'valid_until_ts as published'),
  refetchAfter: field(Date, 'Half of its lifetime: (time added + valid_until_ts) / 2'),
  expiredAt: nullable(Date, 'When the key went out of use; null for keys in use'),
}) {
  serverName!: string;
  recordId!: number;
}

export function toKeyRecord(entry: KeyEntry, nowTs: number): KeyRecord {
  const { publicKey, expiredTs, validUntilTs, dueTs } = entry;
  return {
    ...withDates(entry),
    id: toNodeId('KeyRecord', keyOf(entry)),
    kind: expiredTs === null ? 'verify' : 'old',
    key: publicKey,
    state: keyStateOf(entry, nowTs) ?? 'expired',
    validUntil: toDate(validUntilTs),
    validUntilMs: validUntilTs,
    refetchAfter: toDate(dueTs),
  };
}

/** Row of the record in the key of an id; null for a text of another form. */
export function recordIdOfKey(key: string): number | null {
  const [, recordId = ''] = /^(\d+)-[0-9a-f]{32}$/.exec(key) ?? [];
  return rowOfKey(recordId);
}

/** Key IDs may be long and hold anything, so a digest stands for them. */
function keyOf({ recordId, keyId }: KeyEntry): string {
  return `${recordId}-${createHash('sha256').update(keyId).digest('hex').slice(0, 32)}`;
}

/** Records as published, with their signatures verified. */
const viewOfRecord = lookupBy(
  (ids: readonly number[], { services: { database, keys } }: GraphqlContext) =>
    viewRecords(database, ids, keys.ownName),
  ({ recordId }) => recordId,
  (view) => view,
);

/** What is only read when it is selected. */
@Resolver(() => KeyRecord)
export class KeyRecordResolver {
  @Detail([SignatureCheck], 'Signatures of the record, verified')
  async signatures(record: KeyRecord, context: GraphqlContext): Promise<SignatureCheck[]> {
    return (await viewOf(record, context)).signatures;
  }

  @Detail(GraphQLJSON, 'The record as published; integers beyond 2^53-1 are strings')
  async published(record: KeyRecord, context: GraphqlContext): Promise<unknown> {
    return toPlainJson((await viewOf(record, context)).published);
  }
}

async function viewOf({ recordId }: KeyRecord, { loaders }: GraphqlContext): Promise<RecordView> {
  const view = await loaders.of(viewOfRecord).load(recordId);
  if (view === null) throw new Error(`key record ${recordId} was deleted while it was read`);
  return view;
}

/** Most keys of one record that are shown here; the record itself shows all. */
const MAX_KEYS = 50;

@ObjectType({ description: 'A key as a record lists it' })
class ListedKey extends objectFields({
  keyId: field(String, 'Key ID, such as ed25519:auto'),
  key: field(String, 'Public key in Base64'),
  expiredAt: nullable(Date, 'When the key went out of use; null for keys in use'),
}) {}

@ObjectType({ description: 'A period in which one record was the newest of its server' })
export class RecordBand extends objectFields({
  number: field(Int, 'Number of the period'),
  from: field(Date, 'When the record became the newest'),
  until: nullable(Date, 'When it was superseded; null if it was not'),
  recordNumber: nullable(Int, 'Number of the record; null if none was known'),
  sha256: nullable(String, 'SHA-256 of its canonical form; null if deleted'),
  firstSeenAt: nullable(Date, 'When it was stored; null if deleted'),
  validUntil: nullable(Date, 'When it expires; null if deleted'),
  validUntilMs: nullable(GraphQLSafeInt, 'valid_until_ts as published'),
  keys: field([ListedKey], 'Keys that it lists, at most 50'),
  keyCount: field(Int, 'Number of keys that it lists'),
}) {}

export const RecordBandConnection = connectionOf('RecordBand', () => RecordBand);

export function toRecordBand({ id, fromTs, untilTs, recordId, record }: Band): RecordBand {
  const keys = [...(record?.keys.values() ?? [])];
  return {
    number: id,
    from: toDate(fromTs),
    until: toDate(untilTs),
    recordNumber: recordId,
    sha256: record?.sha256 ?? null,
    firstSeenAt: toDate(record?.firstSeenTs ?? null),
    validUntil: toDate(record?.validUntilTs ?? null),
    validUntilMs: record?.validUntilTs ?? null,
    keys: keys.slice(0, MAX_KEYS).map(({ keyId, publicKey: key, expiredTs }) => ({
      keyId,
      key,
      expiredAt: toDate(expiredTs === null ? null : Number(expiredTs)),
    })),
    keyCount: keys.length,
  };
}
