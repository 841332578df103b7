import { ArgsType, InputType, Int } from 'type-graphql';

import { pageArgs } from '../common/page-args.js';
import type { PreviewFilter as CoreFilter } from '../../core/operators/previews/preview-filter.js';
import { DEFAULT_PREVIEW_SORT, type WantedPreviews } from '../../core/operators/previews/preview-list.js';
import { hidesAddresses, hidesQueries } from '../common/private-parts.js';
import { SortDirection } from '../common/enums.js';
import { badUserInput } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';
import { MemoryState, PreviewSortField, PreviewState } from './previews.enums.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { HOST_PATTERN } from '../../core/base/text/url-host.js';

@InputType()
export class PreviewFilter extends inputFields({
  search: nullable(String),
  host: nullable(String, { description: HOST_PATTERN }),
  state: nullable(PreviewState),
  responseCode: nullable(Int),
  createdAfter: nullable(Date),
  createdBefore: nullable(Date),
  hasImage: nullable(Boolean),
  empty: nullable(Boolean),
}) {}

@InputType()
export class PreviewSort extends inputFields({
  field: PreviewSortField,
  direction: field(SortDirection, { defaultValue: SortDirection.DESC }),
}) {}

@InputType()
export class MemoryFilter extends inputFields({
  search: nullable(String),
  state: nullable(MemoryState),
  host: nullable(String, { description: HOST_PATTERN }),
}) {}

@ArgsType()
export class PreviewListArgs extends pageArgs({
  filter: nullable(PreviewFilter),
  sort: nullable(PreviewSort),
}) {}

/** The filter for those who ask; what is null does not matter. */
export function toPreviewFilter(filter: PreviewFilter | null, context: GraphqlContext): CoreFilter {
  return {
    search: filter?.search?.trim() ?? undefined,
    hidesQueries: hidesQueries(context),
    host: filter?.host?.trim() ?? undefined,
    state: filter?.state ?? undefined,
    responseCode: filter?.responseCode ?? undefined,
    createdAfterTs: filter?.createdAfter?.getTime(),
    createdBeforeTs: filter?.createdBefore?.getTime(),
    hasImage: filter?.hasImage ?? undefined,
    isEmpty: filter?.empty ?? undefined,
  };
}

/**
 * The list that arguments ask for; newest first without an order. Cursors hold what a list is sorted by, and positions
 * in it can be guessed: addresses sort nothing for those who may not see them whole.
 */
export function toWantedPreviews(
  filter: PreviewFilter | null,
  sort: PreviewSort | null,
  context: GraphqlContext,
): WantedPreviews {
  if (sort?.field === 'url' && hidesAddresses(context)) {
    throw badUserInput(
      'Parts of addresses are hidden from this role, so previews cannot be sorted by address',
    );
  }
  return { filter: toPreviewFilter(filter, context), sort: sort ?? DEFAULT_PREVIEW_SORT };
}
