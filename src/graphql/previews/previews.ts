import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { Ctx, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';

import { counted } from '../../core/base/text/strings.js';
import { parseUrl, HOST_PATTERN } from '../../core/base/text/url.js';
import type { DeletionRequest } from '../../core/operators/previews/deletions.js';
import {
  contentsOfPreviews,
  findPreviewOfUrl,
  findPreviews,
  type PreviewFilter as CoreFilter,
  previewList,
  type PreviewProperty,
  type PreviewRecord,
  propertiesOf,
} from '../../core/operators/previews/previews.js';
import { connectionOf, connectionTo, pageArgs } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { DeletePayload, runDeletion } from '../common/deletion.js';
import { SortDirection, wordsEnum } from '../common/enums.js';
import {
  field,
  inputFields,
  nullable,
  objectFields,
  nodeFields,
  rowOfNodeId,
  toNodeId,
} from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import {
  argsFields,
  payloadOf,
  refusal,
  ArgsQuery,
  Detail,
  OperatorMutation,
  NullableQuery,
} from '../common/operations.js';
import { hidesQueries, ownerSought, shownBody, shownUrl, shownValue } from '../common/private-parts.js';
import { lookupBy, type GraphqlContext, viewerOf } from '../context.js';
import { JobPayload, toJobRun } from '../jobs/jobs.js';
import { Media, mediaById } from '../media/media.type.js';

const PreviewState = wordsEnum('PreviewState', 'Validity of a stored preview', {
  fresh: 'Served to clients',
  expired: 'Generated again at the next request',
});

@ObjectType({ description: 'One value of a preview' })
export class OgProperty extends objectFields({
  key: field(String, 'Name, such as og:title'),
  value: nullable(GraphQLJSON, 'Value: a string or a number'),
  origin: nullable(String, 'Source of the value: page, oembed or made (derived from the stored image)'),
}) {}

@ObjectType({ description: 'A stored preview of a URL' })
export class Preview extends nodeFields({
  url: field(String, 'URL, without query string for roles that may not see it'),
  host: field(String, 'Host name'),
  responseCode: field(Int, 'Status of the page'),
  etag: nullable(String, 'ETag of the page; null without one'),
  createdAt: field(Date, 'When it was stored'),
  expiresAt: field(Date, 'When it expires'),
  state: field(PreviewState, 'Whether it is served'),
  title: nullable(String, 'Title of the page; null without one'),
}) {
  rowId!: number;
  mediaId!: string;
  imageMediaId!: string | null;
}

const PreviewConnection = connectionOf('Preview', () => Preview);

export function toPreview(record: PreviewRecord, context: GraphqlContext): Preview {
  const { id, url, title, expiresTs } = record;
  return {
    ...withDates(record),
    id: toNodeId('Preview', id),
    rowId: id,
    url: shownUrl(url, context),
    title: title === null ? null : String(shownValue(title, context)),
    state: expiresTs > context.services.clock.now() ? 'fresh' : 'expired',
  };
}

export const previewById = lookupBy(
  (ids: readonly number[], { services }: GraphqlContext) => findPreviews(services.database, ids),
  ({ id }) => id,
  toPreview,
);

/** Values of a preview as the API shows them. */
export function toProperties(properties: readonly PreviewProperty[], context: GraphqlContext): OgProperty[] {
  return properties.map(({ value, ...rest }) => ({ ...rest, value: shownValue(value, context) }));
}

@ObjectType({ description: 'Preview requests that were refused for the same reason, on this instance' })
class PreviewRefusal extends objectFields({
  status: field(Int, '401 or 403: not allowed; 503: could not be checked'),
  errcode: field(String, 'Error code for clients'),
  message: field(String, 'Error message for clients'),
  times: field(GraphQLSafeInt, 'Number of requests'),
  firstAt: field(Date, 'Time of the first request'),
  lastAt: field(Date, 'Time of the latest request'),
  requestId: field(String, 'ID of the latest request'),
}) {}

const PreviewSortField = wordsEnum('PreviewSortField', 'What previews can be sorted by', {
  createdTs: ['CREATED_AT', 'When it was stored'],
  expiresTs: ['EXPIRES_AT', 'When it expires'],
});

@InputType({ description: 'Filter of stored previews' })
export class PreviewFilter extends inputFields({
  ids: nullable([ID], 'IDs of stored previews'),
  search: nullable(String, 'Part of the URL or the title'),
  host: nullable(String, HOST_PATTERN),
  state: nullable(PreviewState, 'Whether it is served'),
  responseCode: nullable(Int, 'Status of the page'),
  owner: nullable(String, 'User whose request stored it; for roles that may see users'),
  createdAfter: nullable(Date, 'Not stored before this time'),
  createdBefore: nullable(Date, 'Stored before this time'),
  hasImage: nullable(Boolean, 'Whether it has an image'),
  empty: nullable(Boolean, 'Whether clients get {}'),
}) {}

class PreviewListArgs extends pageArgs({
  filter: nullable(PreviewFilter, 'Conditions; all must hold'),
  sortBy: nullable(PreviewSortField, 'Default: CREATED_AT'),
  direction: nullable(SortDirection, 'Default: DESC'),
}) {}

/** The filter as the viewer may use it. */
function toPreviewFilter({ ids, owner, ...filter }: PreviewFilter, context: GraphqlContext): CoreFilter {
  return {
    ...filter,
    ids: ids?.map((id) => rowOfNodeId('Preview', id) ?? 0),
    hidesQueries: hidesQueries(context),
    owner: ownerSought(owner, context),
  };
}

const contentOfPreview = lookupBy(
  (ids: readonly number[], { services }: GraphqlContext) => contentsOfPreviews(services.database, ids),
  ({ id }) => id,
  (content) => content,
);

const MAX_IDS = 100;

class DeletePreviewsArgs extends argsFields({
  filter: field(PreviewFilter, 'Delete everything that matches'),
  expectedCount: nullable(Int, 'Number of matches that a dry run reported; required unless dryRun'),
  dryRun: field(Boolean, 'Only count', false),
  withMedia: field(Boolean, 'Also delete pages and images that no other preview uses', true),
}) {}

@Resolver(() => Preview)
export class PreviewResolver {
  @ArgsQuery(PreviewListArgs, PreviewConnection, 'Stored previews')
  previews({ filter, ...args }: PreviewListArgs, context: GraphqlContext) {
    const { database, clock } = context.services;
    const wanted = { ...args, filter: toPreviewFilter(filter ?? {}, context) };
    return connectionTo({ list: previewList(database, clock), wanted, args }, context, toPreview);
  }

  @NullableQuery(
    { id: nullable(ID, 'ID of a preview'), url: nullable(String, 'The URL') },
    Preview,
    'One stored preview: by ID, or the newest of a URL',
  )
  async preview({ id, url }: { id?: string | null; url?: string | null }, context: GraphqlContext) {
    if (typeof id === 'string') return context.loaders.of(previewById).load(rowOfNodeId('Preview', id) ?? 0);
    if (typeof url !== 'string' || parseUrl(url) === null) throw badUserInput('url is not a URL');
    const record = await findPreviewOfUrl(context.services.database, url);
    return record === null ? null : toPreview(record, context);
  }

  @Query(() => [PreviewRefusal], {
    description: 'Refused preview requests by reason, latest first, at most 50',
  })
  previewRefusals(@Ctx() { services }: GraphqlContext): PreviewRefusal[] {
    return services.refusals.list().map(withDates);
  }

  @Detail([OgProperty], 'Values for clients, with their sources')
  async properties({ rowId }: Preview, context: GraphqlContext): Promise<OgProperty[]> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    if (content === null) return [];
    return toProperties(propertiesOf(content.openGraph, content.oembedKeys), context);
  }

  @Detail(GraphQLJSON, 'The answer for clients')
  async raw({ rowId }: Preview, context: GraphqlContext): Promise<unknown> {
    const content = await context.loaders.of(contentOfPreview).load(rowId);
    return content === null ? {} : shownBody(content.openGraph, context);
  }

  @Detail(Media, 'The downloaded page or image', { nullable: true })
  media({ mediaId }: Preview, { loaders }: GraphqlContext): Promise<Media | null> {
    return loaders.of(mediaById).load(mediaId);
  }

  @Detail(Media, 'The stored image', { nullable: true })
  async image({ imageMediaId }: Preview, { loaders }: GraphqlContext): Promise<Media | null> {
    return imageMediaId === null ? null : loaders.of(mediaById).load(imageMediaId);
  }

  @OperatorMutation(
    { ids: field([ID], 'IDs of stored previews, at most 100') },
    JobPayload,
    'Generates stored previews again, in the background',
  )
  async refreshPreviews({ ids: nodeIds }: { ids: readonly string[] }, context: GraphqlContext) {
    const { services, requestId, audit } = context;
    audit.about({ targetType: 'Preview', summary: `Refresh ${counted(nodeIds.length, 'preview')}` });
    if (nodeIds.length > MAX_IDS) throw refusal('TOO_MANY', `At most ${MAX_IDS} at a time`, 'ids');
    const ids = nodeIds.map((id) => rowOfNodeId('Preview', id)).filter((id) => id !== null);
    if ((await findPreviews(services.database, ids)).length === 0)
      throw refusal('NOT_FOUND', 'None of these previews exists', 'ids');
    const { name: actor } = viewerOf(context);
    const run = await services.previews.replacement.refresh({ ids, actor, requestId });
    audit.about({ detail: { run: run.id } });
    return { ...payloadOf(), run: toJobRun(run) };
  }

  @OperatorMutation(DeletePreviewsArgs, DeletePayload, 'Deletes previews from the store and from memory')
  deletePreviews(args: DeletePreviewsArgs, context: GraphqlContext) {
    const kind = {
      run: (request: DeletionRequest<CoreFilter>) =>
        context.services.previews.deletePreviews({ ...request, withMedia: args.withMedia }),
      filter: toPreviewFilter(args.filter, context),
      targetType: 'Preview',
      actions: ['deletePreviews', 'countPreviews'] as const,
      noun: 'previews',
    };
    return runDeletion(args, kind, context);
  }

  @OperatorMutation(
    { failedOnly: field(Boolean, 'Only failed ones', false) },
    DeletePayload,
    'Clears previews from the memory of all instances',
  )
  async forgetMemoryPreviews({ failedOnly }: { failedOnly: boolean }, { services, audit }: GraphqlContext) {
    const summary = `Clear ${failedOnly ? 'failed previews' : 'all previews'} from memory`;
    audit.about({ targetType: 'Preview', summary });
    const { length: matched } = await services.previews.forgetting.forgetAll({ failedOnly });
    audit.about({ detail: { matched } });
    return { ...payloadOf(), matched, deleted: matched, freedBytes: 0 };
  }
}
