import type { PreviewContent, PreviewRecord } from '../../core/operators/previews/preview-records.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { keyOfNodeId, rowOfNodeId } from '../nodes/node-id.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toPreview } from './preview.type.js';

/** Stored previews by the key in their ids. */
export const previewByKey = loadRows(
  (ids, { services }) => services.previews.previewRecords.find(ids),
  toPreview,
);

/** Contents of stored previews by row. */
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

export const PREVIEW_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'Preview', requires: 'viewer', load: previewByKey },
];

/** The stored address of a preview, a blocked request or a media, nothing hidden; `null` when it is gone. */
export async function wholeUrl(id: string, { services }: GraphqlContext): Promise<string | null> {
  const row = rowOfNodeId('Preview', id);
  if (row !== null) return (await services.previews.previewRecords.find([row]))[0]?.url ?? null;
  const hit = rowOfNodeId('BlockHit', id);
  if (hit !== null) return (await services.blocking.hits.find([hit]))[0]?.url ?? null;
  const mediaId = keyOfNodeId('Media', id);
  if (mediaId === null) return null;
  return (await services.previews.mediaRecords.find([mediaId]))[0]?.sourceUrl ?? null;
}
