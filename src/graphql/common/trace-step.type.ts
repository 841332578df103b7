import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';

import type { TimedStep, TraceWatch } from '../../core/base/trace.js';
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
  const { name, title = name, status, startedAtMs, ms: durationMs, sentence, advice = null, detail } = step;
  const shown = (value: unknown): unknown => (typeof value === 'string' ? shownText(value, context) : value);
  const facts = Object.entries(detail ?? {}).map(([key, value]) => [key, shown(value)]);
  return {
    name,
    title,
    status,
    startedAtMs,
    durationMs,
    message: sentence === '' ? null : shownText(sentence, context),
    advice,
    detail: detail === undefined ? null : Object.fromEntries(facts),
  };
}

/** Reports stages to the client that watches the operation. */
export function watchFor(context: GraphqlContext, titles: ReadonlyMap<string, string>): TraceWatch {
  const { onStage } = context;
  if (onStage === null) return {};
  return {
    began: (name, startedAtMs) => onStage({ began: { name, title: titles.get(name) ?? name, startedAtMs } }),
    ended: (step) => {
      const shown = Object.entries(toTraceStep(step, context));
      onStage({ ended: Object.fromEntries([...shown, ['status', step.status.toUpperCase()]]) });
    },
  };
}
