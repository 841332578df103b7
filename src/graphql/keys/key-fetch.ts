import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, Resolver } from 'type-graphql';

import { findFetchSteps, findLatestFetches, type FetchRow } from '../../core/operators/keys/fetch-history.js';
import { connectionOf } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { field, nullable, nodeFields, toNodeId } from '../common/fields.js';
import { Detail } from '../common/operations.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import { lookupBy, type GraphqlContext } from '../context.js';
import { FetchOutcome } from './enums.js';

@ObjectType({ description: 'One attempt to fetch the keys of a server' })
export class KeyFetch extends nodeFields({
  startedAt: field(Date, 'Start time'),
  durationMs: field(GraphQLSafeInt, 'Duration in milliseconds'),
  outcome: field(FetchOutcome, 'Result'),
  message: nullable(String, 'Why it failed, in one sentence; null on success'),
  cause: field(String, 'What triggered it: query, operator or job'),
}) {
  rowId!: number;
}

export const KeyFetchConnection = connectionOf('KeyFetch', () => KeyFetch);

export function toKeyFetch(row: FetchRow): KeyFetch {
  return { ...withDates(row), id: toNodeId('KeyFetch', row.id), rowId: row.id };
}

/** The latest fetch of each server. */
export const latestFetchOf = lookupBy(
  (names: readonly string[], { services }: GraphqlContext) => findLatestFetches(services.database, names),
  ({ serverName }) => serverName,
  toKeyFetch,
);

const stepsOfFetch = lookupBy(
  (ids: readonly number[], { services }: GraphqlContext) => findFetchSteps(services.database, ids),
  ({ id }) => id,
  ({ steps }) => steps,
);

@Resolver(() => KeyFetch)
export class KeyFetchResolver {
  @Detail([TraceStep], 'Steps in order')
  async steps({ rowId }: KeyFetch, context: GraphqlContext): Promise<TraceStep[]> {
    const steps = (await context.loaders.of(stepsOfFetch).load(rowId)) ?? [];
    return steps.map((step) => toTraceStep(step, context));
  }
}
