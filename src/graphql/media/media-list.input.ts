import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, InputType } from 'type-graphql';

import { pageArgs } from '../common/page-args.js';
import type { MediaFilter as CoreFilter } from '../../core/operators/media/media-filter.js';
import { DEFAULT_MEDIA_SORT, type WantedMedia } from '../../core/operators/media/media-list.js';
import { SortDirection } from '../common/enums.js';
import { badUserInput } from '../common/graphql-errors.js';
import { hidesOwners, hidesQueries } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { FileState, MediaSortField } from './media.enums.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { HOST_PATTERN } from '../../core/base/text/url-host.js';

@InputType()
export class MediaFilter extends inputFields({
  search: nullable(String),
  owner: nullable(String),
  contentType: nullable(String),
  host: nullable(String, { description: HOST_PATTERN }),
  minBytes: nullable(GraphQLSafeInt),
  createdAfter: nullable(Date),
  createdBefore: nullable(Date),
  fileState: nullable(FileState),
  orphan: nullable(Boolean),
}) {}

@InputType()
export class MediaSort extends inputFields({
  field: MediaSortField,
  direction: field(SortDirection, { defaultValue: SortDirection.DESC }),
}) {}

@ArgsType()
export class MediaListArgs extends pageArgs({
  filter: nullable(MediaFilter),
  sort: nullable(MediaSort),
}) {}

/** The filter for those who ask; what is null does not matter. Owners cannot be found by those who may not see them. */
export function toMediaFilter(filter: MediaFilter | null, context: GraphqlContext): CoreFilter {
  if ((filter?.owner ?? null) !== null && hidesOwners(context)) {
    throw badUserInput('Owners are hidden from this role, so media cannot be filtered by them');
  }
  return {
    search: filter?.search?.trim() ?? undefined,
    hidesQueries: hidesQueries(context),
    owner: filter?.owner ?? undefined,
    contentType: filter?.contentType?.trim() ?? undefined,
    host: filter?.host?.trim() ?? undefined,
    minBytes: filter?.minBytes ?? undefined,
    createdAfterTs: filter?.createdAfter?.getTime(),
    createdBeforeTs: filter?.createdBefore?.getTime(),
    fileState: filter?.fileState ?? undefined,
    isOrphan: filter?.orphan ?? undefined,
  };
}

/** The list that arguments ask for; newest first without an order. */
export function toWantedMedia(
  filter: MediaFilter | null,
  sort: MediaSort | null,
  context: GraphqlContext,
): WantedMedia {
  return { filter: toMediaFilter(filter, context), sort: sort ?? DEFAULT_MEDIA_SORT };
}
