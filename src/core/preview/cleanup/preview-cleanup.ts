import { DAY_MS } from '../../base/clock.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { JobRuns } from '../../job-runner/job-runs.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Database } from '../../store/db.js';
import type { MediaRemoval } from './media-removal.js';

export interface PreviewCleanupOptions {
  database: Pick<Database, 'client'>;
  removal: MediaRemoval;
  runner: JobRunner;
  /** Setting previews.media_retention. */
  mediaRetentionMs: number;
  /** How long refused addresses are kept. */
  hitRetentionMs: number;
}

/** Rows are read, and the lease renewed, in batches of this size. */
const BATCH = 500;
const RUN_RETENTION_MS = 7 * DAY_MS;

/** Background cleanup of the preview cache (SPEC §4.8), over a migrated database: oldest first, in batches. */
export class PreviewCleanup {
  /** Each removes everything whose time is up. */
  readonly runs: JobRuns;

  constructor(private readonly options: PreviewCleanupOptions) {
    const work =
      (nowTs: number) =>
      ({ progress }: { progress: RunProgress }) =>
        this.#run(nowTs, progress);
    this.runs = new JobRuns(options.runner, 'preview_cleanup', work);
  }

  /** Whether a run would do anything; when not, it counts as one that went well. */
  async isDue(nowTs: number): Promise<boolean> {
    const { mediaTs, hitsTs, runsTs } = this.#limits(nowTs);
    const { previewCache, media, blacklistHit, jobRun } = this.options.database.client;
    const id = { id: true } as const;
    const isAnythingLeft =
      (await previewCache.findFirst({ where: { expiresTs: { lt: BigInt(nowTs) } }, select: id })) !== null ||
      (await media.findFirst({
        where: { urlCache: { not: null }, createdTs: { lt: mediaTs } },
        select: { mediaId: true },
      })) !== null ||
      (await blacklistHit.findFirst({ where: { ts: { lt: hitsTs } }, select: id })) !== null ||
      (await jobRun.findFirst({ where: { startedTs: { lt: runsTs } }, select: id })) !== null;
    if (isAnythingLeft) return true;
    this.runs.noteIdle();
    return false;
  }

  async #run(nowTs: number, progress: RunProgress): Promise<void> {
    const { mediaTs, hitsTs, runsTs } = this.#limits(nowTs);
    // §4.8.1: entries that have expired, with their stored pages.
    await this.#removeExpired(BigInt(nowTs), progress);
    // §4.8.2: media past its retention, with its thumbnails.
    await this.#removeOldMedia(mediaTs, progress);
    const { blacklistHit, jobRun } = this.options.database.client;
    const [oldest, select] = [{ take: BATCH }, { id: true }] as const;
    const hits = await blacklistHit.findMany({
      where: { ts: { lt: hitsTs } },
      orderBy: { ts: 'asc' },
      ...oldest,
      select,
    });
    const runs = await jobRun.findMany({
      where: { startedTs: { lt: runsTs } },
      orderBy: { startedTs: 'asc' },
      ...oldest,
      select,
    });
    if (hits.length > 0) await blacklistHit.deleteMany({ where: { id: { in: hits.map(({ id }) => id) } } });
    if (runs.length > 0) await jobRun.deleteMany({ where: { id: { in: runs.map(({ id }) => id) } } });
    progress.add('blacklist_hits', hits.length);
  }

  async #removeExpired(beforeTs: bigint, progress: RunProgress): Promise<void> {
    const { database, removal } = this.options;
    const { previewCache } = database.client;
    await inBatches(
      (skip) =>
        previewCache.findMany({
          where: { expiresTs: { lt: beforeTs } },
          orderBy: [{ expiresTs: 'asc' }, { id: 'asc' }],
          skip,
          take: BATCH,
          select: { id: true, mediaId: true },
        }),
      progress,
      async (previews) => {
        const kept = await removal.removePages(
          previews.map(({ mediaId }) => mediaId),
          progress,
        );
        const ids = previews.filter(({ mediaId }) => !kept.has(mediaId)).map(({ id }) => id);
        const { count } = await previewCache.deleteMany({ where: { id: { in: ids } } });
        progress.add('previews', count);
        return previews.length - ids.length;
      },
    );
  }

  async #removeOldMedia(beforeTs: bigint, progress: RunProgress): Promise<void> {
    const { database, removal } = this.options;
    await inBatches(
      (skip) =>
        database.client.media.findMany({
          where: { urlCache: { not: null }, createdTs: { lt: beforeTs } },
          orderBy: [{ createdTs: 'asc' }, { mediaId: 'asc' }],
          skip,
          take: BATCH,
          select: { mediaId: true },
        }),
      progress,
      async (media) => {
        const mediaIds = media.map(({ mediaId }) => mediaId);
        return (await removal.remove(mediaIds, progress)).size;
      },
    );
  }

  /** Whatever is from before these times goes. */
  #limits(nowTs: number): { mediaTs: bigint; hitsTs: bigint; runsTs: bigint } {
    const { mediaRetentionMs, hitRetentionMs } = this.options;
    return {
      mediaTs: BigInt(nowTs - mediaRetentionMs),
      hitsTs: BigInt(nowTs - hitRetentionMs),
      runsTs: BigInt(nowTs - RUN_RETENTION_MS),
    };
  }
}

/** Cleans batch after batch; `clean` resolves to how many rows of a batch stay, which the next one leaves out. */
async function inBatches<Row>(
  list: (skip: number) => Promise<Row[]>,
  progress: RunProgress,
  clean: (rows: Row[]) => Promise<number>,
): Promise<void> {
  let kept = 0;
  for (let rows = await list(0); rows.length > 0; rows = await list(kept)) {
    kept += await clean(rows);
    progress.done += rows.length;
    await progress.checkpoint();
  }
}
