import { ID, InputType, Int, Resolver } from 'type-graphql';

import { HOST_PATTERN } from '../../core/base/text/url.js';
import {
  findThumbnails,
  type MediaFilter as CoreFilter,
  mediaList,
} from '../../core/operators/media/media.js';
import { usersOfMedia } from '../../core/operators/previews/previews.js';
import { parseMediaId } from '../../core/preview/media/media-paths.js';
import { connectionTo, pageArgs } from '../common/connection.js';
import { runDeletion, DeletePayload } from '../common/deletion.js';
import { SortDirection, wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable, keyOfNodeId } from '../common/fields.js';
import { badUserInput } from '../common/graphql-errors.js';
import { argsFields, ArgsQuery, Detail, AdminMutation, NullableQuery } from '../common/operations.js';
import { hidesQueries, ownerSought } from '../common/private-parts.js';
import { type GraphqlContext, lookupAllBy } from '../context.js';
import { Preview, toPreview } from '../previews/previews.js';
import { FileState, Media, MediaConnection, mediaById, Thumbnail, toMedia } from './media.type.js';

const SHOWN_PREVIEWS = 25;

const thumbnailsOfMedia = lookupAllBy(
  (ids: readonly string[], { services }: GraphqlContext) => findThumbnails(services.database, ids),
  ({ mediaId }) => [mediaId],
);

const previewsOfMedia = lookupAllBy(
  (ids: readonly string[], { services }: GraphqlContext) => usersOfMedia(services.database, ids),
  ({ mediaId, imageMediaId }) => [mediaId, imageMediaId],
);

const MediaSortField = wordsEnum('MediaSortField', 'What media can be sorted by', {
  createdTs: ['CREATED_AT', 'When it was stored'],
  sizeBytes: ['BYTES', 'Size of the file'],
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
  media({ filter, ...args }: MediaListArgs, context: GraphqlContext) {
    const wanted = { ...args, filter: toMediaFilter(filter ?? {}, context) };
    return connectionTo({ list: mediaList(context.services.database), wanted, args }, context, toMedia);
  }

  @NullableQuery({ mediaId: field(String, 'Media ID') }, Media, 'One media; null if it does not exist')
  mediaItem({ mediaId }: { mediaId: string }, { loaders }: GraphqlContext) {
    if (parseMediaId(mediaId) === null) throw badUserInput('mediaId is not a media ID');
    return loaders.of(mediaById).load(mediaId);
  }

  @Detail([Thumbnail], 'Thumbnails')
  async thumbnails({ mediaId, viewPath }: Media, { loaders }: GraphqlContext): Promise<Thumbnail[]> {
    const rows = (await loaders.of(thumbnailsOfMedia).load(mediaId)) ?? [];
    // We made it ourselves, so it may always be shown.
    const pathOf = (name: string): string | null => viewPath && `${viewPath}/thumbnail/${name}`;
    return rows.map(({ sizeBytes: bytes, ...row }) => {
      const { width, height, method } = row;
      return { ...row, bytes, viewPath: pathOf(`${width}x${height}-${method}`) };
    });
  }

  @Detail([Preview], 'Stored previews that use it, newest first, at most 25')
  async previews({ mediaId }: Media, context: GraphqlContext): Promise<Preview[]> {
    const users = (await context.loaders.of(previewsOfMedia).load(mediaId)) ?? [];
    return users.slice(0, SHOWN_PREVIEWS).map((record) => toPreview(record, context));
  }

  @AdminMutation(
    DeleteMediaArgs,
    DeletePayload,
    'Deletes media with its thumbnails, and the previews that use it',
  )
  deleteMedia(args: DeleteMediaArgs, context: GraphqlContext) {
    const kind = {
      run: context.services.previews.deleteMedia,
      filter: toMediaFilter(args.filter, context),
      targetType: 'Media',
      actions: ['deleteMedia', 'countMedia'] as const,
      noun: 'media',
    };
    return runDeletion(args, kind, context);
  }
}

/** The filter as the viewer may use it. */
function toMediaFilter({ ids, owner, ...filter }: MediaFilter, context: GraphqlContext): CoreFilter {
  return {
    ...filter,
    ids: ids?.map((id) => keyOfNodeId('Media', id) ?? ''),
    hidesQueries: hidesQueries(context),
    owner: ownerSought(owner, context),
  };
}
