import { createHash } from 'node:crypto';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, Resolver } from 'type-graphql';

import { toPlainJson } from '../../core/base/json/json-value.js';
import { type KeyEntry, type RecordView, viewRecords } from '../../core/operators/keys/key-records.js';
import { keyStateOf } from '../../core/operators/keys/servers.js';
import { lookupBy } from '../common/batch-loader.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields, nodeFields, rowOfKey, toNodeId } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { KeyKind, KeyState } from './enums.js';
import { Detail } from '../common/operations.js';

@ObjectType({ description: 'A verified signature of a record' })
export class SignatureCheck extends objectFields({
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

/** A key with its record as the API shows it. */
export function toKeyRecord(entry: KeyEntry, nowTs: number): KeyRecord {
  const { serverName, recordId, keyId, publicKey, expiredTs, addedTs, validUntilTs, dueTs } = entry;
  return {
    id: toNodeId('KeyRecord', keyOf(entry)),
    serverName,
    recordId,
    keyId,
    kind: expiredTs === null ? 'verify' : 'old',
    key: publicKey,
    state: keyStateOf(entry, nowTs) ?? 'expired',
    addedAt: toDate(addedTs),
    validUntil: toDate(validUntilTs),
    validUntilMs: validUntilTs,
    refetchAfter: toDate(dueTs),
    expiredAt: toDate(expiredTs),
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
    const { signatures } = await viewOf(record, context);
    return signatures.map(({ isValid, ...rest }) => ({ ...rest, valid: isValid }));
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
