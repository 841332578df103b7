import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';

import type { TrialResult } from '../../core/operators/previews/preview-trial.js';
import { STAGE_TITLES } from '../../core/operators/previews/trial-stages.js';
import { MutationPayload } from '../common/mutation.js';
import { shownBody, shownUrl } from '../common/private-parts.js';
import { TraceStep, toTraceStep } from '../common/trace-step.type.js';
import type { GraphqlContext } from '../context.js';
import { OgProperty, toProperties } from './preview.type.js';
import { PreviewSource } from './previews.enums.js';

@ObjectType()
export class PreviewTrace {
  imageMediaId!: string | null;
  storedId!: number | null;

  @Field(() => String)
  url!: string;

  @Field(() => String, { nullable: true })
  finalUrl!: string | null;

  @Field(() => PreviewSource, { nullable: true })
  source!: PreviewSource | null;

  @Field(() => Int, { description: 'What the client endpoint would answer: status, body, headers' })
  status!: number;

  @Field(() => GraphQLJSON)
  body!: unknown;

  @Field(() => [OgProperty])
  properties!: OgProperty[];

  @Field(() => [OgProperty])
  droppedProperties!: OgProperty[];

  @Field(() => [TraceStep])
  steps!: TraceStep[];

  @Field(() => GraphQLSafeInt)
  durationMs!: number;

  @Field(() => GraphQLSafeInt)
  downloadedBytes!: number;
}

@ObjectType()
export class TryPreviewPayload extends MutationPayload {
  @Field(() => PreviewTrace, { nullable: true })
  trace?: PreviewTrace | null;
}

/** What a try came to, for those who ask. */
export function toPreviewTrace(result: TrialResult, context: GraphqlContext): PreviewTrace {
  const { url, finalUrl, body, properties, droppedProperties, steps, ...rest } = result;
  return {
    ...rest,
    url: shownUrl(url, context),
    finalUrl: finalUrl === null ? null : shownUrl(finalUrl, context),
    body: shownBody(body, context),
    properties: toProperties(properties, context),
    droppedProperties: toProperties(droppedProperties, context),
    steps: steps.map((step) => toTraceStep(step, STAGE_TITLES)),
  };
}
