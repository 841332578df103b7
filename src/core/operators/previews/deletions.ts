import { selectionJob } from '../../job-runner/job-registry.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { BulkDeletion, DELETION_BATCH } from '../media/bulk-deletion.js';
import { type MediaFilter, DEFAULT_MEDIA_SORT, type MediaList } from '../media/media-list.js';
import type { MediaRecords } from '../media/media-records.js';
import type { MediaRemoval } from '../../preview/cleanup/preview-cleanup.js';
import { type PreviewFilter, DEFAULT_PREVIEW_SORT, type PreviewList } from './preview-list.js';
import type { PreviewRecords } from './preview-records.js';
import type { PreviewRemoval } from './preview-removal.js';

export interface DeletionParts {
  previews: PreviewList;
  previewRecords: PreviewRecords;
  previewRemoval: PreviewRemoval;
  media: MediaList;
  mediaRecords: MediaRecords;
  mediaRemoval: MediaRemoval;
  runner: JobRunner;
}

export const DELETE_PREVIEWS = selectionJob({
  name: 'delete_previews',
  title: 'Delete previews',
  description:
    'Deletes the previews an operator selected, with their stored pages and, when asked to, their images. ' +
    'Leaves everything else alone; what is asked for again is fetched again.',
});
export const DELETE_MEDIA = selectionJob({
  name: 'delete_media',
  title: 'Delete media',
  description:
    'Deletes the media an operator selected, with its thumbnails. ' +
    'Previews that use it are forgotten: the next request makes them anew.',
});

/** Deletes stored previews; `withMedia` takes their pages and images along. */
export function previewDeletion(
  { previews, previewRecords, previewRemoval, runner }: DeletionParts,
  { withMedia }: { withMedia: boolean },
): BulkDeletion<number, PreviewFilter> {
  return new BulkDeletion(
    {
      job: DELETE_PREVIEWS.name,
      existing: async (ids) => (await previewRecords.find([...new Set(ids)])).map(({ id }) => id),
      countAll: (filter, signal) => previews.countAll({ filter, sort: DEFAULT_PREVIEW_SORT }, signal),
      batches: (filter) => previews.keys({ filter, sort: DEFAULT_PREVIEW_SORT }, DELETION_BATCH),
      names: async (ids) => new Map((await previewRecords.find(ids)).map(({ id, url }) => [id, url])),
      remove: (ids, progress) => previewRemoval.remove(ids, progress, { withMedia }),
    },
    runner,
  );
}

/** Deletes media with its thumbnails; previews that use it are forgotten, so that they are made anew. */
export function mediaDeletion(parts: DeletionParts): BulkDeletion<string, MediaFilter> {
  const { media, mediaRecords, mediaRemoval, previewRemoval, runner } = parts;
  return new BulkDeletion(
    {
      job: DELETE_MEDIA.name,
      existing: async (ids) => (await mediaRecords.find([...new Set(ids)])).map(({ mediaId }) => mediaId),
      countAll: (filter, signal) => media.countAll({ filter, sort: DEFAULT_MEDIA_SORT }, signal),
      batches: (filter) => media.keys({ filter, sort: DEFAULT_MEDIA_SORT }, DELETION_BATCH),
      names: async (mediaIds) =>
        new Map(
          (await mediaRecords.find(mediaIds)).map(({ mediaId, sourceUrl }) => [
            mediaId,
            sourceUrl ?? mediaId,
          ]),
        ),
      remove: async (mediaIds, progress) => {
        const kept = await mediaRemoval.remove(mediaIds, progress);
        const gone = mediaIds.filter((mediaId) => !kept.has(mediaId));
        await previewRemoval.removeUsersOf(gone, progress);
        return gone;
      },
    },
    runner,
  );
}
