import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { RecordBand as Band } from '../../core/operators/keys/key-history.js';
import { connectionOf } from '../common/connection.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';

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

/** A band as the API shows it. */
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
