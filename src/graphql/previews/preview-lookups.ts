import type { BatchLookup } from '../context.js';
import type { PreviewContent, PreviewRecord } from '../../core/operators/previews/preview-records.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toMemoryPreview, type MemoryPreview } from './memory-preview.type.js';
import { toPreview, type Preview } from './preview.type.js';

/** Stored previews by the key in their ids. */
export const previewByKey = loadRows(
  (ids, { services }) => services.previews.previewRecords.find(ids),
  toPreview,
);

/** The newest stored preview of each address. */
export const previewOfUrl: BatchLookup<string, Preview> = async (urls, context) => {
  const found = await context.services.previews.previewRecords.findByUrls(urls);
  return urls.map((url) => {
    const record = found.get(url);
    return record === undefined ? null : toPreview(record, context);
  });
};

/** Answers of stored previews by row. */
export const contentOfPreview: BatchLookup<number, PreviewContent> = async (ids, { services }) => {
  const contents = await services.previews.previewRecords.contents(ids);
  const found = new Map(contents.map((content) => [content.id, content]));
  return ids.map((id) => found.get(id) ?? null);
};

/** Previews that use each media. */
export const usersOfMedia: BatchLookup<string, PreviewRecord[]> = async (mediaIds, { services }) => {
  const users = await services.previews.previewRecords.usersOf(mediaIds);
  return mediaIds.map((mediaId) => users.get(mediaId) ?? []);
};

/** Entries of this instance's memory cache by the key in their ids. */
const memoryByKey: BatchLookup<string, MemoryPreview> = async (keys, context) => {
  const { memory } = context.services.previews;
  return memory.find(keys).map((record) => (record === null ? null : toMemoryPreview(record, context)));
};

export const PREVIEW_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'Preview', requires: 'viewer', load: previewByKey },
  { typeName: 'MemoryPreview', requires: 'viewer', load: memoryByKey },
];
