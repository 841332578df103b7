import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

import type { TimedStep } from '../../core/base/trace.js';
import { StepStatus } from './enums.js';

@ObjectType({ description: 'One checked stage of a key fetch or of a preview' })
export class TraceStep {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  title!: string;

  @Field(() => StepStatus)
  status!: StepStatus;

  @Field(() => GraphQLSafeInt)
  startedAtMs!: number;

  @Field(() => GraphQLSafeInt)
  durationMs!: number;

  @Field(() => String, { nullable: true })
  message!: string | null;

  @Field(() => String, { nullable: true, description: 'Plain-language next step for the operator' })
  advice!: string | null;

  @Field(() => GraphQLJSON, { nullable: true })
  detail!: unknown;
}

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
