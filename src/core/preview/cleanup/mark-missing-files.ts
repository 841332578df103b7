import { join } from 'node:path';

import { filePathParts } from '../media/media-paths.js';
import { LIST_BATCH, type MediaStorage } from '../media/storage/media-storage.js';
import type { GarbageCollectionStore } from './garbage-collection-store.js';

/**
 * Marks media whose file is not there, or is of another size, as after a restored backup: previews made from it are
 * forgotten, so that the next request makes them anew. Resolves to the media IDs.
 */
export async function markMissingFiles(
  store: GarbageCollectionStore,
  storage: MediaStorage,
  nowTs: number,
): Promise<string[]> {
  const missing: string[] = [];
  const pathOf = (mediaId: string): string => {
    const { folder, name } = filePathParts(mediaId);
    return join(storage.root, folder, name);
  };
  for (let after = ''; ;) {
    const media = await store.listMedia(after, LIST_BATCH);
    const last = media.at(-1);
    if (last === undefined) return missing;
    after = last.mediaId;
    const found = await storage.findMany(media.map(({ mediaId }) => pathOf(mediaId)));
    const lost = media
      .filter(
        ({ mediaId, sizeBytes, isRemoved }) =>
          !isRemoved && found.get(pathOf(mediaId))?.sizeBytes !== sizeBytes,
      )
      .map(({ mediaId }) => mediaId);
    if (lost.length > 0) await store.markLost(lost, nowTs);
    missing.push(...lost);
  }
}
