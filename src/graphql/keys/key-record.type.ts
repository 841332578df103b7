import { createHash } from 'node:crypto';

import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { KeyEntry } from '../../core/operators/keys/key-entries.js';
import { keyStateOf } from '../../core/operators/keys/server-row.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { toDate } from '../common/dates.js';
import { KeyKind, KeyState } from './keys.enums.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class SignatureCheck extends objectFields({
  signer: String,
  keyId: String,
  valid: Boolean,
  isOurs: Boolean,
  message: nullable(String),
}) {}

@ObjectType({ implements: Node })
export class KeyRecord extends nodeFields({
  keyId: String,
  kind: KeyKind,
  key: field(String, { description: 'Base64 verification key' }),
  state: KeyState,
  addedAt: Date,
  validUntil: Date,
  validUntilMs: GraphQLSafeInt,
  refetchAfter: field(Date, { description: 'Half-way point: (time added + valid_until_ts) / 2' }),
  expiredAt: nullable(Date),
}) {
  serverName!: string;
  recordId!: number;
}

export const KeyRecordConnection = connectionOf('KeyRecord', () => KeyRecord);

/** A key with its record as the outside sees it. */
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
  const [, digits = ''] = /^([1-9]\d{0,9})-[0-9a-f]{32}$/.exec(key) ?? [];
  const recordId = Number(digits);
  // Row numbers are 32 bits wide on PostgreSQL, which refuses a greater one with an error.
  return recordId > 0 && recordId <= 0x7fff_ffff ? recordId : null;
}

/** Key IDs may be long and hold anything, so a digest stands for them. */
function keyOf({ recordId, keyId }: KeyEntry): string {
  return `${recordId}-${createHash('sha256').update(keyId).digest('hex').slice(0, 32)}`;
}
