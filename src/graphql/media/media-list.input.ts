import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType } from 'type-graphql';

import { PageArgs } from '../common/page-args.js';
import type { MediaFilter as CoreFilter } from '../../core/operators/media/media-filter.js';
import { DEFAULT_MEDIA_SORT } from '../../core/operators/media/media-list.js';
import type { WantedMedia } from '../../core/operators/media/media-list.js';
import { SortDirection } from '../common/enums.js';
import { badUserInput } from '../common/graphql-errors.js';
import { hidesOwners, hidesQueries } from '../common/private-parts.js';
import type { GraphqlContext } from '../context.js';
import { FileState, MediaSortField } from './media.enums.js';

@InputType()
export class MediaFilter {
  @Field(() => String, { nullable: true })
  search?: string | null;

  @Field(() => String, { nullable: true })
  owner?: string | null;

  @Field(() => String, { nullable: true })
  contentType?: string | null;

  @Field(() => String, { nullable: true })
  host?: string | null;

  @Field(() => GraphQLSafeInt, { nullable: true })
  minBytes?: number | null;

  @Field(() => Date, { nullable: true })
  createdAfter?: Date | null;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date | null;

  @Field(() => FileState, { nullable: true })
  fileState?: FileState | null;

  @Field(() => Boolean, { nullable: true })
  orphan?: boolean | null;
}

@InputType()
export class MediaSort {
  @Field(() => MediaSortField)
  field!: MediaSortField;

  @Field(() => SortDirection, { defaultValue: SortDirection.DESC })
  direction!: SortDirection;
}

@ArgsType()
export class MediaListArgs extends PageArgs {
  @Field(() => MediaFilter, { nullable: true })
  filter?: MediaFilter | null;

  @Field(() => MediaSort, { nullable: true })
  sort?: MediaSort | null;
}

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
