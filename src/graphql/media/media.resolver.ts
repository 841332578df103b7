import { Arg, Ctx, ID, InputType, Int, Query, Resolver } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url.js';
import {
  type MediaFilter as CoreFilter,
  type MediaSortField as CoreSortField,
  DEFAULT_MEDIA_SORT,
} from '../../core/operators/media/media.js';
import { parseMediaId } from '../../core/preview/media/media-paths.js';
import type { PreviewRecord } from '../../core/operators/previews/previews.js';
import type { ThumbnailRow } from '../../core/preview/media/media-store.js';
import { connectionTo, type Connection, pageArgs } from '../common/connection.js';
import { runDeletion, DeletePayload } from '../common/deletion.js';
import { SortDirection, wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable, keyOfNodeId } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { ArgsMutation, argsFields, Requires, ArgsQuery, Detail } from '../common/operations.js';
import { hidesQueries, ownerSought } from '../common/private-parts.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { Preview, toPreview } from '../previews/previews.js';
import {
  FileState,
  Media,
  MediaConnection,
  mediaById,
  Thumbnail,
  toMedia,
  toThumbnail,
} from './media.type.js';

const SHOWN_PREVIEWS = 25;

const thumbnailsOfMedia: BatchLookup<string, ThumbnailRow[]> = async (mediaIds, { services }) => {
  const found = await services.previews.mediaRecords.thumbnails(mediaIds);
  return mediaIds.map((mediaId) => found.get(mediaId) ?? []);
};

/** Previews that use each media. */
const usersOfMedia: BatchLookup<string, PreviewRecord[]> = async (mediaIds, { services }) => {
  const users = await services.previews.previewRecords.usersOf(mediaIds);
  return mediaIds.map((mediaId) => users.get(mediaId) ?? []);
};

const MediaSortField = wordsEnum<CoreSortField>('MediaSortField', 'What media can be sorted by', {
  created: ['CREATED_AT', 'When it was stored'],
  bytes: 'Size of the file',
});

@InputType({ description: 'Filter of media' })
class MediaFilter extends inputFields({
  ids: nullable([ID], 'IDs of media'),
  search: nullable(String, 'Part of the media ID, the URL or the file name'),
  owner: nullable(String, 'User ID; for roles that may see users'),
  contentType: nullable(String, 'Media type or its beginning, such as image/'),
  host: nullable(String, HOST_PATTERN),
  createdAfter: nullable(Date, 'Not stored before this time'),
  createdBefore: nullable(Date, 'Stored before this time'),
  fileState: nullable(FileState, 'State of the file'),
}) {}

class MediaListArgs extends pageArgs({
  filter: nullable(MediaFilter, 'Conditions; all must hold'),
  sortBy: nullable(MediaSortField, 'Default: CREATED_AT'),
  direction: nullable(SortDirection, 'Default: DESC'),
}) {}

class DeleteMediaArgs extends argsFields({
  filter: field(MediaFilter, 'Delete everything that matches'),
  expectedCount: nullable(Int, 'Number of matches that a dry run reported; required unless dryRun'),
  dryRun: field(Boolean, 'Only count', false),
}) {}

@Resolver(() => Media)
export class MediaResolver {
  @ArgsQuery(MediaListArgs, MediaConnection, 'Stored pages and images')
  media(
    { filter, sortBy, direction, ...args }: MediaListArgs,
    context: GraphqlContext,
  ): Promise<Connection<Media>> {
    const { field: usual, direction: usually } = DEFAULT_MEDIA_SORT;
    const sort = { field: sortBy ?? usual, direction: direction ?? usually };
    const wanted = { filter: toMediaFilter(filter ?? {}, context), sort };
    return connectionTo({ list: context.services.previews.media, wanted, args }, context, toMedia);
  }

  @Query(() => Media, { nullable: true, description: 'One media; null if it does not exist' })
  mediaItem(
    @Arg('mediaId', () => String, { description: 'Media ID' }) mediaId: string,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<Media | null> {
    if (parseMediaId(mediaId) === null) throw badUserInput('mediaId is not a media ID');
    return loaders.of(mediaById).load(mediaId);
  }

  @Detail([Thumbnail], 'Thumbnails')
  async thumbnails({ mediaId, viewPath }: Media, { loaders }: GraphqlContext): Promise<Thumbnail[]> {
    const rows = (await loaders.of(thumbnailsOfMedia).load(mediaId)) ?? [];
    return rows.map((row) => toThumbnail(row, viewPath));
  }

  @Detail([Preview], 'Stored previews that use it, newest first, at most 25')
  async previews({ mediaId }: Media, context: GraphqlContext): Promise<Preview[]> {
    const users = (await context.loaders.of(usersOfMedia).load(mediaId)) ?? [];
    return users.slice(0, SHOWN_PREVIEWS).map((record) => toPreview(record, context));
  }

  @Requires('admin')
  @ArgsMutation(
    DeleteMediaArgs,
    DeletePayload,
    'Deletes media with its thumbnails, and the previews that use it',
  )
  deleteMedia(args: DeleteMediaArgs, context: GraphqlContext): Promise<DeletePayload> {
    const kind = {
      deletion: context.services.previews.deleteMedia,
      filter: toMediaFilter(args.filter, context),
      targetType: 'Media',
      actions: ['deleteMedia', 'countMedia'] as const,
      noun: 'media',
    };
    return runDeletion(args, kind, context);
  }
}

/** The filter as the viewer may use it; what is null does not matter. */
function toMediaFilter(filter: MediaFilter, context: GraphqlContext): CoreFilter {
  return {
    mediaIds: filter.ids?.map((id) => keyOfNodeId('Media', id) ?? ''),
    search: filter.search?.trim() ?? undefined,
    hidesQueries: hidesQueries(context),
    owner: ownerSought(filter.owner, context),
    contentType: filter.contentType?.trim() ?? undefined,
    host: filter.host?.trim() ?? undefined,
    createdAfterTs: filter.createdAfter?.getTime(),
    createdBeforeTs: filter.createdBefore?.getTime(),
    fileState: filter.fileState ?? undefined,
  };
}
