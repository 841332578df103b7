import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType, Resolver } from 'type-graphql';

import { parseUrl } from '../../core/base/text/url.js';
import type { TrialResult } from '../../core/operators/previews/preview-trial.js';
import type { PreviewSource as CoreSource } from '../../core/preview/build-preview.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import {
  argsFields,
  payloadFields,
  payloadOf,
  refusal,
  Detail,
  OperatorMutation,
} from '../common/operations.js';
import { shownBody, shownUrl } from '../common/private-parts.js';
import { TraceStep, toTraceStep, watchFor } from '../common/trace-step.type.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { MAX_URL_LENGTH } from '../limits/limits.js';
import { STAGE_TITLES } from '../../core/preview/build/preview-trace.js';
import { Media, mediaById } from '../media/media.type.js';
import { OgProperty, Preview, previewById, toProperties } from './previews.js';

/** A user name and password as they are shown. */
const HIDDEN_USER = /^[^/?#]*\/\/…@/;

const PreviewSource = wordsEnum<CoreSource>('PreviewSource', 'What a preview was generated from', {
  html: 'A page',
  image: 'An image',
  oembed_url: 'The oEmbed response of a known provider',
  oembed_discovered: 'An oEmbed response that the page links',
  other: 'Another type of file',
});

@ObjectType({ description: 'A preview generated step by step' })
class PreviewTrace extends objectFields({
  url: field(String, 'The URL that was tried'),
  finalUrl: nullable(String, 'URL after redirects; null if nothing was fetched'),
  source: nullable(PreviewSource, 'What it was generated from; null if it failed'),
  status: field(Int, 'Status for clients'),
  body: field(GraphQLJSON, 'Answer for clients'),
  properties: field([OgProperty], 'Values for clients'),
  droppedProperties: field([OgProperty], 'Values of the page that clients do not get'),
  steps: field([TraceStep], 'Steps in order'),
  durationMs: field(GraphQLSafeInt, 'Duration in milliseconds'),
  downloadedBytes: field(GraphQLSafeInt, 'Bytes that were downloaded'),
}) {
  imageMediaId!: string | null;
  storedId!: number | null;
}

class TryPreviewArgs extends argsFields({
  url: field(String, 'The URL'),
  ignoreCaches: field(Boolean, 'Ignore memory and store', false),
}) {}

@ObjectType({ description: 'Result of a trial' })
class TryPreviewPayload extends payloadFields({
  trace: nullable(PreviewTrace, 'The preview step by step; null on errors'),
}) {}

@Resolver(() => PreviewTrace)
export class PreviewTrialResolver {
  @OperatorMutation(
    TryPreviewArgs,
    TryPreviewPayload,
    'Generates a preview step by step as for a client, and stores it',
  )
  async tryPreview(args: TryPreviewArgs, context: GraphqlContext) {
    const { ignoreCaches } = args;
    const { services, requestId, signal, audit } = context;
    audit.about({ targetType: 'Preview', summary: 'Try a preview' });
    const url = wholeUrl(args.url);
    audit.about({ detail: { host: parseUrl(url)?.host ?? null, ignoreCaches } });
    const actor = viewerOf(context).name;
    const asked = { url, ignoreCaches, actor, requestId, signal };
    const watch = watchFor(context, STAGE_TITLES);
    const result = await services.previews.trial.try(asked, watch);
    return { ...payloadOf(), trace: toPreviewTrace(result, context) };
  }

  @Detail(Media, 'The image', { nullable: true })
  async image({ imageMediaId }: PreviewTrace, { loaders }: GraphqlContext): Promise<Media | null> {
    return imageMediaId === null ? null : loaders.of(mediaById).load(imageMediaId);
  }

  @Detail(Preview, 'The stored preview; null if it was not stored', { nullable: true })
  async stored({ storedId }: PreviewTrace, { loaders }: GraphqlContext): Promise<Preview | null> {
    return storedId === null ? null : loaders.of(previewById).load(storedId);
  }
}

/** The URL to try. */
function wholeUrl(url: string): string {
  if (url.trim() === '') throw refusal('INVALID', 'Enter a URL', 'url');
  if (HIDDEN_USER.test(url))
    throw refusal('INVALID', 'The user name of the URL is hidden: type the whole URL', 'url');
  if (url.length > MAX_URL_LENGTH) throw refusal('TOO_LARGE', 'The URL is too long', 'url');
  return url;
}

function toPreviewTrace(result: TrialResult, context: GraphqlContext): PreviewTrace {
  const { url, built, body, properties, droppedProperties, steps, ...rest } = result;
  return {
    ...rest,
    url: shownUrl(url, context),
    finalUrl: built && shownUrl(built.finalUrl, context),
    source: built?.source ?? null,
    downloadedBytes: built?.downloadedBytes ?? 0,
    body: shownBody(body, context),
    properties: toProperties(properties, context),
    droppedProperties: toProperties(droppedProperties, context),
    steps: steps.map((step) => toTraceStep(step, context)),
  };
}
