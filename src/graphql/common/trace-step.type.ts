import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

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
    message: step.sentence === '' ? null : step.sentence,
    advice: step.advice ?? null,
    detail: step.detail ?? null,
  };
}
