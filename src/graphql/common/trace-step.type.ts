import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import { withoutUsers } from '../../core/access/operators/privacy.js';
import type { TimedStep } from '../../core/base/trace.js';
import { StepStatus } from './enums.js';
import { nullable, objectFields } from './fields.js';

@ObjectType({ description: 'One checked stage of a key fetch or of a preview' })
export class TraceStep extends objectFields({
  name: String,
  title: String,
  status: StepStatus,
  startedAtMs: GraphQLSafeInt,
  durationMs: GraphQLSafeInt,
  message: nullable(String),
  advice: nullable(String, { description: 'Plain-language next step for the operator' }),
  detail: nullable(GraphQLJSON),
}) {}

/** A step of the core for operators; `titles` has one for each name, else the name with spaces. */
export function toTraceStep(step: TimedStep, titles: ReadonlyMap<string, string>): TraceStep {
  return {
    name: step.name,
    title: step.title ?? titles.get(step.name) ?? step.name.replaceAll('_', ' '),
    status: step.status,
    startedAtMs: step.startedAtMs,
    durationMs: step.ms,
    message: step.sentence === '' ? null : withoutUsers(step.sentence),
    advice: step.advice ?? null,
    detail: step.detail === undefined ? null : withoutUsersIn(step.detail),
  };
}

function withoutUsersIn(detail: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutUsers(value) : value,
    ]),
  );
}
