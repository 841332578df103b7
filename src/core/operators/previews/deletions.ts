import { ApiError } from '../../base/errors/api-error.js';
import { selectionJob } from '../../job-runner/job-registry.js';
import type { JobRun } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { MediaRemoval } from '../../preview/cleanup/preview-cleanup.js';
import type { PreviewForgetting } from '../../preview/pipeline/preview-cache.js';
import type { Database } from '../../store/db.js';
import { DEFAULT_MEDIA_SORT, type MediaFilter, type MediaList } from '../media/media.js';
import { DEFAULT_PREVIEW_SORT, type PreviewFilter, type PreviewList } from './previews.js';

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
    const goneIds = gone.map(({ id }) => id);
    const { count } = await previewCache.deleteMany({ where: { id: { in: goneIds } } });
    progress.add('previews', count);
    await this.#forget(gone);
    return goneIds;
  }

  /** Removes the previews that use some media, which is about to go: a client's next request makes them anew. */
  async removeUsersOf(mediaIds: readonly string[], progress: RunProgress): Promise<void> {
    const { previewCache } = this.options.database.client;
    const where = { OR: [{ mediaId: { in: [...mediaIds] } }, { imageMediaId: { in: [...mediaIds] } }] };
    const rows = await previewCache.findMany({ where, select: { id: true, url: true } });
    const { count } = await previewCache.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    progress.add('previews', count);
    await this.#forget(rows);
  }

  async #forget(rows: readonly Pick<Row, 'url'>[]): Promise<void> {
    await this.options.forgetting.forget(rows.map(({ url }) => url));
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

export interface DeletionReport {
  matched: number;
  deleted: number;
  freedBytes: number;
  /** Why some were not deleted. */
  error: string | null;
  /** The run that goes on in the background; `null`: all is done. */
  run: JobRun | null;
}

interface Deletable<Key, Filter> {
  job: string;
  count: (filter: Filter, signal?: AbortSignal) => Promise<number>;
  /** In batches; what is deleted meanwhile does not disturb it. */
  keys: (filter: Filter, size: number) => AsyncIterable<readonly Key[]>;
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
export class Deletion<Key, Filter> {
  constructor(
    private readonly deletable: Deletable<Key, Filter>,
    private readonly runner: JobRunner,
  ) {}

  async request(request: DeletionRequest<Filter>): Promise<DeletionReport> {
    const { filter, dryRun, expectedCount, actor, signal } = request;
    const { job, count } = this.deletable;
    const matched = await count(filter, signal);
    const done = { matched, deleted: 0 };
    const nothing = { ...done, freedBytes: 0, error: null, run: null };
    if (dryRun) return nothing;
    if (expectedCount === null) throw countMissing();
    if (expectedCount !== matched) throw countMismatch(expectedCount, matched);
    if (matched === 0) return nothing;
    const { run, finished } = await this.runner.start({
      job,
      actor,
      work: (progress) => this.#delete(filter, progress, done),
    });
    if (matched > MAX_AT_ONCE) return { ...nothing, run };
    const { bytes: freedBytes, reason: error } = await finished;
    return { ...done, freedBytes, error, run: null };
  }

  async #delete(
    filter: Filter,
    progress: RunProgress,
    done: { matched: number; deleted: number },
  ): Promise<void> {
    progress.total = done.matched;
    for await (const batch of this.deletable.keys(filter, BATCH)) {
      progress.checkpoint();
      done.deleted += (await this.deletable.remove(batch, progress)).length;
      progress.done += batch.length;
    }
  }
}

export interface DeletionParts {
  previews: PreviewList;
  previewRemoval: PreviewRemoval;
  media: MediaList;
  mediaRemoval: MediaRemoval;
  runner: JobRunner;
}

/** Deletes stored previews; `withMedia` takes their pages and images along. */
export function previewDeletion(
  { previews, previewRemoval, runner }: DeletionParts,
  { withMedia }: { withMedia: boolean },
): Deletion<number, PreviewFilter> {
  const sort = DEFAULT_PREVIEW_SORT;
  return new Deletion(
    {
      job: DELETE_PREVIEWS.name,
      count: (filter, signal) => previews.countAll({ filter, sort }, signal),
      keys: (filter, size) => previews.keys({ filter, sort }, size),
      remove: (ids, progress) => previewRemoval.remove(ids, progress, { withMedia }),
    },
    runner,
  );
}

/** Deletes media with its thumbnails; previews that use it are forgotten, so that they are made anew. */
export function mediaDeletion(parts: DeletionParts): Deletion<string, MediaFilter> {
  const { media, mediaRemoval, previewRemoval, runner } = parts;
  const sort = DEFAULT_MEDIA_SORT;
  return new Deletion(
    {
      job: DELETE_MEDIA.name,
      count: (filter, signal) => media.countAll({ filter, sort }, signal),
      keys: (filter, size) => media.keys({ filter, sort }, size),
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

function countMissing(): ApiError {
  const message = 'Deleting needs the count that a dry run reported';
  return new ApiError(400, message, { errcode: 'M_MISSING_PARAM', reason: 'count_missing' });
}

function countMismatch(expected: number, matched: number): ApiError {
  const message = `${matched} match now, not ${expected}; nothing was deleted`;
  return new ApiError(409, message, { reason: 'count_mismatch', extra: { matched } });
}
