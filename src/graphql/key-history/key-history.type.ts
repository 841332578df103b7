import { Field, Int, ObjectType } from 'type-graphql';
import { GraphQLSafeInt } from 'graphql-scalars';

import type {
  PastAnswer,
  AnsweredRecord as AnsweredRow,
} from '../../core/operators/keys/history/answer-at.js';
import { MARK_KINDS, type KeyTimeline as Timeline } from '../../core/operators/keys/history/key-timelines.js';
import type { RecordBand as Band } from '../../core/operators/keys/history/record-bands.js';
import { CHANGE_KINDS } from '../../core/operators/keys/history/record-diff.js';
import { clampedTs } from '../../core/operators/keys/history/seen-record.js';
import { connectionOf, type Connection } from '../common/connection.js';
import { toDate } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { nullable, objectFields } from '../common/fields.js';
import { KeyKind, KeyState } from '../keys/keys.enums.js';

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

@ObjectType()
export class AnsweredKey extends objectFields({
  keyId: String,
  key: String,
  kind: KeyKind,
  expiredAt: nullable(Date),
  valid: Boolean,
}) {}

@ObjectType()
export class AnsweredRecord extends objectFields({
  recordNumber: Int,
  sha256: String,
  isNewest: Boolean,
  addedAt: Date,
  addedAtExact: Boolean,
  validUntil: Date,
  refetchAfter: Date,
  state: KeyState,
  keys: [AnsweredKey],
  keyCount: Int,
}) {}

@ObjectType()
export class PastKeyAnswer extends objectFields({
  at: Date,
  complete: Boolean,
  records: [AnsweredRecord],
}) {}

export const RecordChangeKind = wordsEnum('RecordChangeKind', CHANGE_KINDS);

@ObjectType()
export class RecordChange extends objectFields({
  kind: RecordChangeKind,
  subject: String,
  from: nullable(String),
  to: nullable(String),
}) {}

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

export function toPastAnswer({ ts, isComplete, records }: PastAnswer): PastKeyAnswer {
  return { at: toDate(ts), complete: isComplete, records: records.map(toAnsweredRecord) };
}

function toAnsweredRecord({ record, isNewest, keys, state, ...times }: AnsweredRow): AnsweredRecord {
  return {
    recordNumber: record.recordId,
    sha256: record.sha256,
    isNewest,
    addedAt: toDate(times.addedTs),
    addedAtExact: times.isAddedExact,
    validUntil: toDate(clampedTs(record.validUntilTs)),
    refetchAfter: toDate(times.dueTs),
    state,
    keys: keys.slice(0, MAX_KEYS).map(({ keyId, publicKey, expiredTs, isValid }) => ({
      keyId,
      key: publicKey,
      kind: expiredTs === null ? 'verify' : 'old',
      expiredAt: toDate(expiredTs === null ? null : clampedTs(expiredTs)),
      valid: isValid,
    })),
    keyCount: keys.length,
  };
}
