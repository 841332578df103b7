import { RuleRefusal, toRuleRefusal } from '../blocking/rule-refusal.type.js';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { TrialResult } from '../../core/operators/previews/trial/preview-trial.js';
import { STAGE_TITLES } from '../../core/operators/previews/trial/trial-stages.js';
import { payloadFields } from '../common/mutation.js';
import { shownBody, shownUrl } from '../common/private-parts.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import type { GraphqlContext } from '../context.js';
import { OgProperty, toProperties } from './preview.type.js';
import { PreviewSource } from './previews.enums.js';
import { field, nullable, objectFields } from '../common/fields.js';

@ObjectType()
export class PreviewTrace extends objectFields({
  url: String,
  finalUrl: nullable(String),
  source: nullable(PreviewSource),
  status: field(Int, { description: 'What the client endpoint would answer: status, body, headers' }),
  body: GraphQLJSON,
  properties: [OgProperty],
  droppedProperties: [OgProperty],
  steps: [TraceStep],
  refusals: field([RuleRefusal], {
    description: 'What rules refused on the way: the target, where it led, its image',
  }),
  durationMs: GraphQLSafeInt,
  downloadedBytes: GraphQLSafeInt,
}) {
  imageMediaId!: string | null;
  storedId!: number | null;
}

@ObjectType()
export class TryPreviewPayload extends payloadFields({
  trace: nullable(PreviewTrace),
}) {}

/** What a try came to, for those who ask. */
export function toPreviewTrace(result: TrialResult, context: GraphqlContext): PreviewTrace {
  const { url, finalUrl, body, properties, droppedProperties, steps, refusals, ...rest } = result;
  return {
    ...rest,
    url: shownUrl(url, context),
    finalUrl: finalUrl === null ? null : shownUrl(finalUrl, context),
    body: shownBody(body, context),
    properties: toProperties(properties, context),
    droppedProperties: toProperties(droppedProperties, context),
    refusals: refusals.map((refusal) => toRuleRefusal(refusal, shownUrl(refusal.url, context))),
    steps: steps.map((step) => toTraceStep(step, { titles: STAGE_TITLES, context })),
  };
}
