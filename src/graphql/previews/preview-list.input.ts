import { ArgsType, Field, InputType, Int } from 'type-graphql';

import { PageArgs } from '../common/page-args.js';
import type { PreviewFilter as CoreFilter } from '../../core/operators/previews/preview-filter.js';
import { DEFAULT_PREVIEW_SORT } from '../../core/operators/previews/preview-list.js';
import type { WantedPreviews } from '../../core/operators/previews/preview-list.js';
import { hidesQueries } from '../common/private-parts.js';
import { SortDirection } from '../common/enums.js';
import { badUserInput } from '../common/graphql-errors.js';
import type { GraphqlContext } from '../context.js';
import { MemoryState, PreviewSortField, PreviewState } from './previews.enums.js';

@InputType()
export class PreviewFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => String, { nullable: true })
  host?: string | null;

  @Field(() => PreviewState, { nullable: true })
  state?: PreviewState | null;

  @Field(() => Int, { nullable: true })
  responseCode?: number | null;

  @Field(() => Date, { nullable: true })
  createdAfter?: Date | null;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date | null;

  @Field(() => Boolean, { nullable: true })
  hasImage?: boolean | null;

  @Field(() => Boolean, { nullable: true })
  empty?: boolean | null;
}

@InputType()
export class PreviewSort {
  @Field(() => PreviewSortField)
  field!: PreviewSortField;

  @Field(() => SortDirection, { defaultValue: SortDirection.DESC })
  direction!: SortDirection;
}

@InputType()
export class MemoryFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => MemoryState, { nullable: true })
  state?: MemoryState | null;

  @Field(() => String, { nullable: true })
  instance?: string | null;
}

@ArgsType()
export class PreviewListArgs extends PageArgs {
  @Field(() => PreviewFilter, { nullable: true })
  filter?: PreviewFilter | null;

  @Field(() => PreviewSort, { nullable: true })
  sort?: PreviewSort | null;
}

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
  if (sort?.field === 'url' && hidesQueries(context)) {
    throw badUserInput('Query strings are hidden from this role, so previews cannot be sorted by address');
  }
  return { filter: toPreviewFilter(filter, context), sort: sort ?? DEFAULT_PREVIEW_SORT };
}
