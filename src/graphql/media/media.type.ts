import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import {
  findMedia,
  type FileState as CoreFileState,
  type MediaRecord,
} from '../../core/operators/media/media.js';
import { DECODABLE_TYPES } from '../../core/preview/media/image/image-type.js';
import { parseMediaId } from '../../core/preview/media/media-paths.js';
import { connectionOf } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields, nodeFields, toNodeId } from '../common/fields.js';
import { shownUrl } from '../common/private-parts.js';
import { lookupBy, viewerOf, type GraphqlContext } from '../context.js';

export const FileState = wordsEnum<CoreFileState>('FileState', 'State of the file of a media', {
  present: 'The file exists',
  missing: 'The file is missing unexpectedly',
  removed: 'The cleanup has deleted the file and will delete the row',
});

@ObjectType({ description: 'A thumbnail' })
export class Thumbnail extends objectFields({
  width: field(Int, 'Width in pixels'),
  height: field(Int, 'Height in pixels'),
  method: field(String, 'crop or scale'),
  contentType: field(String, 'Media type'),
  bytes: field(GraphQLSafeInt, 'Size of the file'),
  viewPath: nullable(String, 'Path where the web UI shows it; null if it is not shown'),
}) {}

@ObjectType({ description: 'A stored page or image' })
export class Media extends nodeFields({
  mediaId: field(String, 'Media ID'),
  contentUri: field(String, 'mxc:// URI for clients'),
  owner: nullable(String, 'User who requested the preview; null for roles that may not see it'),
  contentType: field(String, 'Media type as the site stated it'),
  bytes: field(GraphQLSafeInt, 'Size of the file'),
  width: nullable(Int, 'Width in pixels; null if it is not an image'),
  height: nullable(Int, 'Height in pixels; null if it is not an image'),
  createdAt: field(Date, 'When it was stored'),
  deletesAt: nullable(Date, 'When the cleanup deletes it; null: never'),
  sourceUrl: nullable(String, 'URL it was downloaded from, without query string for some roles'),
  fileName: nullable(String, 'File name as the site stated it'),
  fileState: field(FileState, 'State of the file'),
  viewPath: nullable(String, 'Path where the web UI shows it; null if the type is not safe'),
}) {}

export const MediaConnection = connectionOf('Media', () => Media);

export function toMedia(record: MediaRecord, context: GraphqlContext): Media {
  const { mediaId, createdTs, urlCache, fileState, sniffedType } = record;
  const { privacy, previews } = context.services;
  const isShowable = fileState === 'present' && sniffedType !== null && DECODABLE_TYPES.has(sniffedType);
  return {
    ...withDates(record),
    id: toNodeId('Media', mediaId),
    contentUri: previews.contentUri(mediaId),
    owner: privacy.owner(viewerOf(context).role, record.userId),
    bytes: record.sizeBytes,
    deletesAt: urlCache === null ? null : toDate(previews.deletesTs(createdTs)),
    sourceUrl: urlCache === null ? null : shownUrl(urlCache, context),
    fileName: record.uploadName,
    viewPath: isShowable ? previews.viewPath(mediaId) : null,
  };
}

/** Media by its id; texts that are no media ids are not looked for. */
export const mediaById = lookupBy(
  (mediaIds: readonly string[], { services }: GraphqlContext) =>
    findMedia(
      services.database,
      mediaIds.filter((mediaId) => parseMediaId(mediaId) !== null),
    ),
  ({ mediaId }) => mediaId,
  toMedia,
);
