import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { TimedStep } from '../../core/base/trace.js';
import type { GraphqlContext } from '../context.js';
import { StepStatus } from './enums.js';
import { field, nullable, objectFields } from './fields.js';
import { shownText } from './private-parts.js';

@ObjectType({ description: 'One step of a key fetch or a preview' })
export class TraceStep extends objectFields({
  name: field(String, 'Stable name'),
  title: field(String, 'Title'),
  status: field(StepStatus, 'Result'),
  startedAtMs: field(GraphQLSafeInt, 'Milliseconds since the first step began'),
  durationMs: field(GraphQLSafeInt, 'Duration in milliseconds'),
  message: nullable(String, 'What happened, in one sentence'),
  advice: nullable(String, 'Advice for the operator'),
  detail: nullable(GraphQLJSON, 'Facts by name'),
}) {}

/** A step of the core for operators, without what is hidden of addresses from those who ask. */
export function toTraceStep(step: TimedStep, context: GraphqlContext): TraceStep {
  const shown = (text: string): string => shownText(text, context);
  return {
    name: step.name,
    title: step.title ?? step.name,
    status: step.status,
    startedAtMs: step.startedAtMs,
    durationMs: step.ms,
    message: step.sentence === '' ? null : shown(step.sentence),
    advice: step.advice ?? null,
    detail: step.detail === undefined ? null : mapped(step.detail, shown),
  };
}

function mapped(detail: NonNullable<TimedStep['detail']>, shown: (text: string) => string): unknown {
  const entries = Object.entries(detail);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? shown(value) : value]),
  );
}

/** Reports stages to the client that watches the operation; `describe` adds what people read. */
export function watchFor(
  context: GraphqlContext,
  titles: ReadonlyMap<string, string>,
  describe: (step: TimedStep) => TimedStep = (step) => step,
) {
  const { onStage } = context;
  if (onStage === null) return {};
  return {
    began: (name: string, startedAtMs: number): void =>
      onStage({ began: { name, title: titles.get(name) ?? name, startedAtMs } }),
    ended: (step: TimedStep): void => {
      const shown = Object.entries(toTraceStep(describe(step), context));
      onStage({ ended: Object.fromEntries([...shown, ['status', step.status.toUpperCase()]]) });
    },
  };
}
