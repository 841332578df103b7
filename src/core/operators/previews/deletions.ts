import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { selectionJob } from '../../job-runner/job-registry.js';
import type { JobRun } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { MediaRemoval } from '../../preview/cleanup/preview-cleanup.js';
import type { PreviewForgetting } from '../../preview/pipeline/preview-cache.js';
import type { Database } from '../../store/db.js';
import type { RecordList } from '../../store/lists/record-list.js';
import { type MediaFilter, mediaList } from '../media/media.js';
import { type PreviewFilter, previewList } from './previews.js';

export interface PreviewRemovalOptions {
  database: Database;
  media: MediaRemoval;
  forgetting: PreviewForgetting;
}

interface Row {
  id: number;
  url: string;
  mediaId: string;
  imageMediaId: string | null;
}

/** Removes stored previews with all that hangs on them. */
export class PreviewRemoval {
  constructor(private readonly options: PreviewRemovalOptions) {}

  /** Removes at most a few hundred previews: their media first, then the rows, and what memory holds of them. */
  async remove(
    ids: readonly number[],
    progress: RunProgress,
    { withMedia }: { withMedia: boolean },
  ): Promise<number[]> {
    const { previewCache } = this.options.database.client;
    const rows = await previewCache.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, url: true, mediaId: true, imageMediaId: true },
    });
    const media = withMedia ? await this.#ownMedia(rows) : [];
    const kept = await this.options.media.remove(media, progress);
    const isKept = (mediaId: string | null): boolean => mediaId !== null && kept.has(mediaId);
    const gone = rows.filter(({ mediaId, imageMediaId }) => !isKept(mediaId) && !isKept(imageMediaId));
    return this.#delete(gone, progress);
  }

  /** Removes the previews that use some media, which is about to go: a client's next request makes them anew. */
  async removeUsersOf(mediaIds: readonly string[], progress: RunProgress): Promise<void> {
    const { previewCache } = this.options.database.client;
    const where = { OR: [{ mediaId: { in: [...mediaIds] } }, { imageMediaId: { in: [...mediaIds] } }] };
    const rows = await previewCache.findMany({ where, select: { id: true, url: true } });
    await this.#delete(rows, progress);
  }

  async #delete(rows: readonly Pick<Row, 'id' | 'url'>[], progress: RunProgress): Promise<number[]> {
    const { database, forgetting } = this.options;
    const ids = rows.map(({ id }) => id);
    const { count } = await database.client.previewCache.deleteMany({ where: { id: { in: ids } } });
    progress.add('previews', count);
    await forgetting.forget(rows.map(({ url }) => url));
    return ids;
  }

  /** Media of the previews that no other preview uses. */
  async #ownMedia(rows: readonly Row[]): Promise<string[]> {
    const mediaIds = [
      ...new Set(rows.flatMap(({ mediaId, imageMediaId }) => [mediaId, imageMediaId ?? mediaId])),
    ];
    const others = await this.options.database.client.previewCache.findMany({
      where: {
        id: { notIn: rows.map(({ id }) => id) },
        OR: [{ mediaId: { in: mediaIds } }, { imageMediaId: { in: mediaIds } }],
      },
      select: { mediaId: true, imageMediaId: true },
    });
    const used = new Set(others.flatMap(({ mediaId, imageMediaId }) => [mediaId, imageMediaId]));
    return mediaIds.filter((mediaId) => !used.has(mediaId));
  }
}

export const DELETE_PREVIEWS = selectionJob({
  name: 'delete_previews',
  title: 'Delete previews',
  description:
    'Deletes selected previews with their stored pages and, if chosen, their images. ' +
    'The next request fetches them again.',
});
export const DELETE_MEDIA = selectionJob({
  name: 'delete_media',
  title: 'Delete media',
  description:
    'Deletes selected media with its thumbnails, and the previews that use it. ' +
    'The next request creates them again.',
});

/** One request to delete all that a filter lets through. */
export interface DeletionRequest<Filter> {
  filter: Filter;
  /** Only counts. */
  dryRun: boolean;
  /** What a dry run counted. */
  expectedCount: number | null;
  /** Name of the operator. */
  actor: string;
  signal?: AbortSignal;
}

interface Deletable<Filter, Key extends string | number> {
  job: string;
  list: Pick<RecordList<{ filter: Filter }, Key, unknown>, 'countAll' | 'keys'>;
  /** Deletes one batch; resolves to the keys that are gone. */
  remove: (keys: readonly Key[], progress: RunProgress) => Promise<Key[]>;
}

/** More than this go on in the background. */
const MAX_AT_ONCE = 500;
const BATCH = 100;

/**
 * Deletes on an operator's request, as a run of a job. Throws `ApiError` 400 with the reason `count_missing` without an
 * expected count, 409 with `count_mismatch` when another number matches: then nothing is deleted.
 */
async function deleteMatching<Filter, Key extends string | number>(
  { filter, dryRun, expectedCount, actor, signal }: DeletionRequest<Filter>,
  { job, list, remove }: Deletable<Filter, Key>,
  runner: JobRunner,
): Promise<DeletionReport> {
  const matched = await list.countAll({ filter }, signal);
  const nothing = { matched, deleted: 0, freedBytes: 0, error: null, run: null };
  if (dryRun) return nothing;
  if (expectedCount === null) throw countMissing();
  if (expectedCount !== matched) throw countMismatch(expectedCount, matched);
  if (matched === 0) return nothing;
  let deleted = 0;
  const work = async (progress: RunProgress): Promise<void> => {
    progress.total = matched;
    for await (const batch of list.keys({ filter }, BATCH)) {
      progress.checkpoint();
      deleted += (await remove(batch, progress)).length;
      progress.done += batch.length;
    }
  };
  const { run, finished } = await runner.start({ job, actor, work });
  if (matched > MAX_AT_ONCE) return { ...nothing, run };
  const { bytes: freedBytes, reason: error } = await finished;
  return { matched, deleted, freedBytes, error, run: null };
}

export interface DeletionReport {
  matched: number;
  deleted: number;
  freedBytes: number;
  /** Why some were not deleted. */
  error: string | null;
  /** The run that goes on in the background; `null`: all is done. */
  run: JobRun | null;
}

export interface DeletionParts {
  database: Database;
  clock: Clock;
  previewRemoval: PreviewRemoval;
  mediaRemoval: MediaRemoval;
  runner: JobRunner;
}

/** Deletes stored previews; `withMedia` takes their pages and images along. */
export function deletePreviews(
  { database, clock, previewRemoval, runner }: DeletionParts,
  request: DeletionRequest<PreviewFilter> & { withMedia: boolean },
): Promise<DeletionReport> {
  const list = previewList(database, clock);
  const remove = (ids: readonly number[], progress: RunProgress): Promise<number[]> =>
    previewRemoval.remove(ids, progress, request);
  return deleteMatching(request, { job: DELETE_PREVIEWS.name, list, remove }, runner);
}

/** Deletes media with its thumbnails; previews that use it are forgotten, so that they are made anew. */
export function deleteMedia(
  { database, mediaRemoval, previewRemoval, runner }: DeletionParts,
  request: DeletionRequest<MediaFilter>,
): Promise<DeletionReport> {
  const remove = async (mediaIds: readonly string[], progress: RunProgress): Promise<string[]> => {
    const kept = await mediaRemoval.remove(mediaIds, progress);
    const gone = mediaIds.filter((mediaId) => !kept.has(mediaId));
    await previewRemoval.removeUsersOf(gone, progress);
    return gone;
  };
  return deleteMatching(request, { job: DELETE_MEDIA.name, list: mediaList(database), remove }, runner);
}

function countMissing(): ApiError {
  const message = 'Deleting needs the count that a dry run reported';
  return new ApiError(400, message, { errcode: 'M_MISSING_PARAM', reason: 'count_missing' });
}

function countMismatch(expected: number, matched: number): ApiError {
  const message = `${matched} match now, not ${expected}; nothing was deleted`;
  return new ApiError(409, message, { reason: 'count_mismatch', extra: { matched } });
}
