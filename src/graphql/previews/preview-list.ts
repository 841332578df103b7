import { ArgsType, ID, InputType, Int } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url-host.js';
import {
  type PreviewFilter as CoreFilter,
  type PreviewSortField as CoreSortField,
  DEFAULT_PREVIEW_SORT,
  type WantedPreviews,
} from '../../core/operators/previews/preview-list.js';
import { SortDirection, wordsEnum } from '../common/enums.js';
import { inputFields, nullable } from '../common/fields.js';
import { rowOfNodeId } from '../common/ids.js';
import { pageArgs } from '../common/page-args.js';
import { hidesQueries } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { PreviewState } from './preview.type.js';

const PreviewSortField = wordsEnum<CoreSortField>('PreviewSortField', 'What previews can be sorted by', {
  created: ['CREATED_AT', 'When it was stored'],
  expires: ['EXPIRES_AT', 'When it expires'],
});

@InputType({ description: 'Filter of stored previews' })
export class PreviewFilter extends inputFields({
  ids: nullable([ID], 'IDs of stored previews'),
  search: nullable(String, 'Part of the URL or the title'),
  host: nullable(String, HOST_PATTERN),
  state: nullable(PreviewState, 'Whether it is served'),
  responseCode: nullable(Int, 'Status of the page'),
  createdAfter: nullable(Date, 'Not stored before this time'),
  createdBefore: nullable(Date, 'Stored before this time'),
  hasImage: nullable(Boolean, 'Whether it has an image'),
  empty: nullable(Boolean, 'Whether clients get {}'),
}) {}

@ArgsType()
export class PreviewListArgs extends pageArgs({
  filter: nullable(PreviewFilter, 'Conditions; all must hold'),
  sortBy: nullable(PreviewSortField, 'Default: CREATED_AT'),
  direction: nullable(SortDirection, 'Default: DESC'),
}) {}

/** The filter as the viewer may use it; what is null does not matter. */
export function toPreviewFilter(filter: PreviewFilter, context: GraphqlContext): CoreFilter {
  return {
    ids: filter.ids?.map((id) => rowOfNodeId('Preview', id) ?? 0),
    search: filter.search?.trim() ?? undefined,
    hidesQueries: hidesQueries(context),
    host: filter.host?.trim() ?? undefined,
    state: filter.state ?? undefined,
    responseCode: filter.responseCode ?? undefined,
    createdAfterTs: filter.createdAfter?.getTime(),
    createdBeforeTs: filter.createdBefore?.getTime(),
    hasImage: filter.hasImage ?? undefined,
    isEmpty: filter.empty ?? undefined,
  };
}

export function toWantedPreviews(
  { filter, sortBy, direction }: PreviewListArgs,
  context: GraphqlContext,
): WantedPreviews {
  const { field, direction: usual } = DEFAULT_PREVIEW_SORT;
  return {
    filter: toPreviewFilter(filter ?? {}, context),
    sort: { field: sortBy ?? field, direction: direction ?? usual },
  };
}
