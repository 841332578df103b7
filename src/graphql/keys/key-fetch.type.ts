import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

import type { FetchRow } from '../../core/operators/keys/fetch-history.js';
import { connectionOf } from '../common/connection.js';
import { UserErrorCode } from '../common/enums.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node } from '../nodes/node.type.js';
import { toDate } from '../common/dates.js';
import { errorCodeOf } from './error-code.js';
import { FetchOutcome } from './keys.enums.js';

@ObjectType({ implements: Node })
export class KeyFetch extends Node {
  rowId!: number;
  serverName!: string;

  @Field(() => Date)
  startedAt!: Date;

  @Field(() => GraphQLSafeInt)
  durationMs!: number;

  @Field(() => FetchOutcome)
  outcome!: FetchOutcome;

  @Field(() => UserErrorCode, { nullable: true })
  errorCode!: UserErrorCode | null;

  @Field(() => String, { nullable: true })
  message!: string | null;

  @Field(() => String, { description: "Who asked: a peer's query, the operator, or a job" })
  cause!: string;
}

export const KeyFetchConnection = connectionOf('KeyFetch', () => KeyFetch);

/** A row as the outside sees it. */
export function toKeyFetch(row: FetchRow): KeyFetch {
  return {
    id: toNodeId('KeyFetch', row.id),
    rowId: row.id,
    serverName: row.serverName,
    startedAt: toDate(row.startedTs),
    durationMs: row.durationMs,
    outcome: row.outcome,
    errorCode: row.reason === null ? null : errorCodeOf(row.reason),
    message: row.message,
    cause: row.cause,
  };
}
