import { keyOfNodeId, rowOfNodeId } from '../nodes/node-id.js';
import type { GraphqlContext } from '../context.js';

/** The stored address of a preview, a refusal or a media, nothing hidden; `null` when it is not there any more. */
export async function wholeUrl(id: string, { services }: GraphqlContext): Promise<string | null> {
  const row = rowOfNodeId('Preview', id);
  if (row !== null) return (await services.previews.previewRecords.find([row]))[0]?.url ?? null;
  const hit = rowOfNodeId('BlockHit', id);
  if (hit !== null) return (await services.blocking.hits.find([hit]))[0]?.url ?? null;
  const mediaId = keyOfNodeId('Media', id);
  if (mediaId === null) return null;
  return (await services.previews.mediaRecords.find([mediaId]))[0]?.sourceUrl ?? null;
}
