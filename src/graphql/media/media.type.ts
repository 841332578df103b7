import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';

import type { MediaRecord } from '../../core/operators/media/media-records.js';
import type { ThumbnailRow } from '../../core/preview/media/media-row-store.js';
import { DECODABLE_TYPES } from '../../core/preview/media/image/image-type.js';
import { connectionOf } from '../common/connection.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';
import { shownUrl } from '../common/private-parts.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import { FileState } from './media.enums.js';
import { nullable, objectFields } from '../common/fields.js';
import { toDate, withDates } from '../common/dates.js';

@ObjectType()
export class Thumbnail extends objectFields({
  width: Int,
  height: Int,
  method: String,
  contentType: String,
  bytes: GraphQLSafeInt,
  viewPath: nullable(String),
}) {}

@ObjectType({ implements: Node })
export class Media extends nodeFields({
  mediaId: String,
  contentUri: String,
  owner: nullable(String),
  contentType: String,
  bytes: GraphQLSafeInt,
  width: nullable(Int),
  height: nullable(Int),
  createdAt: Date,
  deletesAt: nullable(Date, { description: 'When the cleanup job will delete it' }),
  sourceUrl: nullable(String),
  fileName: nullable(String),
  fileState: FileState,
  viewPath: nullable(String, {
    description: 'Same-origin path for the signed-in admin; null when the type is not safe to show',
  }),
}) {}

export const MediaConnection = connectionOf('Media', () => Media);

/** A row of the list of media as the API shows it, by what the viewer may see. */
export function toMedia(record: MediaRecord, context: GraphqlContext): Media {
  const { mediaId, createdTs, sourceUrl, fileState, sniffedType } = record;
  const { privacy, previews } = context.services;
  const isShowable = fileState === 'present' && sniffedType !== null && DECODABLE_TYPES.has(sniffedType);
  return {
    ...withDates(record),
    id: toNodeId('Media', mediaId),
    contentUri: previews.contentUri(mediaId),
    owner: privacy.owner(viewerOf(context).role, record.owner),
    bytes: record.sizeBytes,
    deletesAt: sourceUrl === null ? null : toDate(previews.deletesTs(createdTs)),
    sourceUrl: sourceUrl === null ? null : shownUrl(sourceUrl, context),
    fileName: record.uploadName,
    viewPath: isShowable ? previews.viewPath(mediaId) : null,
  };
}

/** A thumbnail; we made it ourselves, so it may always be shown. */
export function toThumbnail(row: ThumbnailRow, mediaPath: string | null): Thumbnail {
  const { width, height, method, contentType, sizeBytes } = row;
  const viewPath = mediaPath === null ? null : `${mediaPath}/thumbnail/${width}x${height}-${method}`;
  return { width, height, method, contentType, bytes: sizeBytes, viewPath };
}
