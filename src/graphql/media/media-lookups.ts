import { parseMediaId } from '../../core/preview/media/media-paths.js';
import type { ThumbnailRow } from '../../core/preview/media/media-row-store.js';
import type { BatchLookup } from '../context.js';
import type { NodeLoader } from '../nodes/node-loader.js';
import { toMedia, type Media } from './media.type.js';

/** Media by its id; texts that are no media ids are not looked for. */
export const mediaById: BatchLookup<string, Media> = async (mediaIds, context) => {
  const possible = mediaIds.filter((mediaId) => parseMediaId(mediaId) !== null);
  const records = await context.services.previews.mediaRecords.find([...new Set(possible)]);
  const found = new Map(records.map((record) => [record.mediaId, toMedia(record, context)]));
  return mediaIds.map((mediaId) => found.get(mediaId) ?? null);
};

export const thumbnailsOfMedia: BatchLookup<string, ThumbnailRow[]> = async (mediaIds, { services }) => {
  const found = await services.previews.mediaRecords.thumbnails(mediaIds);
  return mediaIds.map((mediaId) => found.get(mediaId) ?? []);
};

export const MEDIA_NODE_LOADER: NodeLoader = { typeName: 'Media', requires: 'viewer', load: mediaById };
