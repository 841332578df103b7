import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { FetchRow } from '../../core/operators/keys/fetch-history.js';
import { connectionOf } from '../common/connection.js';
import { UserErrorCode } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { withDates } from '../common/dates.js';
import { errorCodeOf } from './error-code.js';
import { FetchOutcome } from './keys.enums.js';
import { field, nullable } from '../common/fields.js';

@ObjectType({ implements: Node })
export class KeyFetch extends nodeFields({
  startedAt: Date,
  durationMs: GraphQLSafeInt,
  outcome: FetchOutcome,
  errorCode: nullable(UserErrorCode),
  message: nullable(String),
  cause: field(String, { description: "Who asked: a peer's query, the operator, or a job" }),
}) {
  rowId!: number;
  serverName!: string;
}

export const KeyFetchConnection = connectionOf('KeyFetch', () => KeyFetch);

/** A row as the outside sees it. */
export function toKeyFetch(row: FetchRow): KeyFetch {
  return {
    ...withDates(row),
    id: toNodeId('KeyFetch', row.id),
    rowId: row.id,
    errorCode: row.reason === null ? null : errorCodeOf(row.reason),
  };
}
