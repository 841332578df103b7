import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import {
  clampedTs,
  findBandBefore,
  type KeyTimeline as Timeline,
  keyTimelinesOf,
  marksOf,
  type RecordBand as Band,
} from '../../core/operators/keys/key-history.js';
import { findAcknowledgements } from '../../core/operators/keys/key-alarms.js';
import type { PageRequest } from '../../core/store/lists/record-list.js';
import { PageInfo } from '../common/connection.js';
import { toDate } from '../common/dates.js';
import { field, nullable, objectFields } from '../common/fields.js';
import type { GraphqlContext } from '../context.js';
import { KeyKind, TimelineMarkKind } from './enums.js';

/** Most keys of one record that are shown here; the record itself shows all. */
const MAX_KEYS = 50;

@ObjectType({ description: 'A period in which one record was the newest of its server' })
class RecordBand extends objectFields({
  number: field(Int, 'Number of the period'),
  from: field(Date, 'When the record became the newest'),
  until: nullable(Date, 'When it was superseded; null if it was not'),
  recordNumber: nullable(Int, 'Number of the record; null if none was known'),
  sha256: nullable(String, 'SHA-256 of its canonical form; null if deleted'),
  firstSeenAt: nullable(Date, 'When it was stored; null if deleted'),
  validUntil: nullable(Date, 'When it expires; null if deleted'),
  validUntilMs: nullable(GraphQLSafeInt, 'valid_until_ts as published'),
  keyIds: field([String], 'Key IDs that it lists, at most 50'),
  keyCount: field(Int, 'Number of keys that it lists'),
}) {}

@ObjectType({ description: 'A period in which the newest record listed a key unchanged' })
class KeyTimelinePiece extends objectFields({
  from: field(Date, 'Start of the period'),
  until: nullable(Date, 'End of the period; null if it has not ended'),
  key: field(String, 'Public key in Base64'),
  kind: field(KeyKind, 'Where the record listed it'),
  validUntil: field(Date, 'Until when it verifies signatures'),
}) {}

@ObjectType({ description: 'The periods of one key ID' })
class KeyTimeline extends objectFields({
  keyId: field(String, 'Key ID, such as ed25519:auto'),
  pieces: field([KeyTimelinePiece], 'Periods, oldest first'),
}) {}

@ObjectType({ description: 'A mark on the timeline' })
class TimelineMark extends objectFields({
  kind: field(TimelineMarkKind, 'What happened'),
  from: field(Date, 'When it happened or began'),
  until: nullable(Date, 'End of a gap; null if it has not ended'),
  keyId: nullable(String, 'The key; null if it concerns the whole record'),
  sentence: field(String, 'What happened, in one sentence'),
}) {}

@ObjectType({ description: 'One page of the key history of a server, newest first' })
export class KeyHistory extends objectFields({
  bands: field([RecordBand], 'Records, newest first'),
  pageInfo: field(PageInfo, 'Cursors of this page'),
  keys: field([KeyTimeline], 'Keys of the records on this page, last changed first'),
  keysLeftOut: field(Int, 'Keys left out because there are too many'),
  marks: field([TimelineMark], 'Marks in the period of these records, oldest first'),
}) {}

/** A page of the history of a server. */
export async function keyHistoryOf(
  serverName: string,
  request: PageRequest,
  { services: { keys, database, clock }, signal }: GraphqlContext,
): Promise<KeyHistory> {
  const page = await keys.bands.page(serverName, request, { signal });
  const bands = page.rows.map(({ row }) => row).toReversed();
  const before = bands[0] === undefined ? null : await findBandBefore(database, bands[0]);
  const acknowledgements = await findAcknowledgements(database, [serverName]);
  const { timelines, leftOut } = keyTimelinesOf(bands);
  const marks = marksOf(bands, { before, nowTs: clock.now(), acknowledgements });
  return {
    bands: page.rows.map(({ row }) => toRecordBand(row)),
    pageInfo: page,
    keys: timelines.map(toKeyTimeline),
    keysLeftOut: leftOut,
    marks: marks.map(({ fromTs, untilTs, ...mark }) => ({
      ...mark,
      from: toDate(fromTs),
      until: toDate(untilTs),
    })),
  };
}

function toRecordBand({ id, fromTs, untilTs, recordId, record }: Band): RecordBand {
  const keyIds = [...(record?.keys.keys() ?? [])];
  const validUntilTs = record === null ? null : clampedTs(record.validUntilTs);
  return {
    number: id,
    from: toDate(fromTs),
    until: toDate(untilTs),
    recordNumber: recordId,
    sha256: record?.sha256 ?? null,
    firstSeenAt: toDate(record?.firstSeenTs ?? null),
    validUntil: toDate(validUntilTs),
    validUntilMs: validUntilTs,
    keyIds: keyIds.slice(0, MAX_KEYS),
    keyCount: keyIds.length,
  };
}

function toKeyTimeline({ keyId, pieces }: Timeline): KeyTimeline {
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
