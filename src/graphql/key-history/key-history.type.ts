import { Field, Int, ObjectType } from 'type-graphql';
import { GraphQLSafeInt } from 'graphql-scalars';

import { MARK_KINDS, type KeyTimeline as Timeline } from '../../core/operators/keys/history/key-timelines.js';
import type { RecordBand as Band } from '../../core/operators/keys/history/record-bands.js';
import { clampedTs } from '../../core/operators/keys/history/seen-record.js';
import { connectionOf, type Connection } from '../common/connection.js';
import { toDate } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { nullable, objectFields } from '../common/fields.js';
import { KeyKind } from '../keys/keys.enums.js';

/** Most keys of one record that are shown here; the record itself shows all. */
const MAX_KEYS = 50;

@ObjectType()
export class RecordBand extends objectFields({
  number: Int,
  from: Date,
  until: nullable(Date),
  recordNumber: nullable(Int),
  sha256: nullable(String),
  firstSeenAt: nullable(Date),
  lastSeenAt: nullable(Date),
  validUntil: nullable(Date),
  validUntilMs: nullable(GraphQLSafeInt),
  keyIds: [String],
  keyCount: Int,
}) {}

const RecordBandConnection = connectionOf('RecordBand', () => RecordBand);

@ObjectType()
export class KeyTimelinePiece extends objectFields({
  from: Date,
  until: nullable(Date),
  key: String,
  kind: KeyKind,
  validUntil: Date,
}) {}

@ObjectType()
export class KeyTimeline extends objectFields({
  keyId: String,
  pieces: [KeyTimelinePiece],
}) {}

export const TimelineMarkKind = wordsEnum('TimelineMarkKind', MARK_KINDS);

@ObjectType()
export class TimelineMark extends objectFields({
  kind: TimelineMarkKind,
  from: Date,
  until: nullable(Date),
  keyId: nullable(String),
  sentence: String,
}) {}

@ObjectType()
export class KeyHistory extends objectFields({
  keys: [KeyTimeline],
  keysLeftOut: Int,
  marks: [TimelineMark],
}) {
  @Field(() => RecordBandConnection)
  bands!: Connection<RecordBand>;
}

/** A band as the outside sees it. */
export function toRecordBand({ id, fromTs, untilTs, recordId, record }: Band): RecordBand {
  const keyIds = [...(record?.keys.keys() ?? [])];
  const validUntilTs = record === null ? null : clampedTs(record.validUntilTs);
  return {
    number: id,
    from: toDate(fromTs),
    until: toDate(untilTs),
    recordNumber: recordId,
    sha256: record?.sha256 ?? null,
    firstSeenAt: toDate(record?.firstSeenTs ?? null),
    lastSeenAt: toDate(record?.lastSeenTs ?? null),
    validUntil: toDate(validUntilTs),
    validUntilMs: validUntilTs,
    keyIds: keyIds.slice(0, MAX_KEYS),
    keyCount: keyIds.length,
  };
}

export function toKeyTimeline({ keyId, pieces }: Timeline): KeyTimeline {
  return {
    keyId,
    pieces: pieces.map(({ fromTs, untilTs, publicKey, kind, validUntilTs }) => ({
      from: toDate(fromTs),
      until: toDate(untilTs),
      key: publicKey,
      kind,
      validUntil: toDate(validUntilTs),
    })),
  };
}
