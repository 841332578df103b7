import { ArgsType, InputType, Int } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url-host.js';
import {
  type PreviewFilter as CoreFilter,
  type PreviewSortField as CoreSortField,
  DEFAULT_PREVIEW_SORT,
  type WantedPreviews,
} from '../../core/operators/previews/preview-list.js';
import { SortDirection, wordsEnum } from '../common/enums.js';
import { inputFields, nullable } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { forwardArgs, pageArgs } from '../common/page-args.js';
import { hidesAddresses, hidesQueries } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { MemoryState, PreviewState } from './preview.type.js';

const PreviewSortField = wordsEnum<CoreSortField>('PreviewSortField', 'What previews can be sorted by', {
  created: ['CREATED_AT', 'When it was stored'],
  expires: ['EXPIRES_AT', 'When it expires'],
  url: 'URL, for roles that see query strings',
  responseCode: 'Status of the page',
});

@InputType({ description: 'Filter of stored previews' })
export class PreviewFilter extends inputFields({
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

@InputType({ description: 'Filter of previews in memory' })
class MemoryFilter extends inputFields({
  search: nullable(String, 'Part of the URL'),
  state: nullable(MemoryState, 'State'),
  host: nullable(String, HOST_PATTERN),
}) {}

@ArgsType()
export class MemoryListArgs extends forwardArgs({
  filter: nullable(MemoryFilter, 'Conditions; all must hold'),
}) {}

/** The filter as the viewer may use it; what is null does not matter. */
export function toPreviewFilter(filter: PreviewFilter, context: GraphqlContext): CoreFilter {
  return {
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

/**
 * The list that arguments ask for. Cursors contain the sort value, and positions in a list can be guessed, so URLs are
 * no order for roles that may not see them whole.
 */
export function toWantedPreviews(
  { filter, sortBy, direction }: PreviewListArgs,
  context: GraphqlContext,
): WantedPreviews {
  if (sortBy === 'url' && hidesAddresses(context))
    throw badUserInput('This role cannot sort by URL, because query strings are hidden from it');
  const { field, direction: usual } = DEFAULT_PREVIEW_SORT;
  return {
    filter: toPreviewFilter(filter ?? {}, context),
    sort: { field: sortBy ?? field, direction: direction ?? usual },
  };
}
