import type { Database } from '../../store/db.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { MediaRemoval } from '../../preview/cleanup/preview-cleanup.js';
import type { PreviewForgetting } from '../../preview/pipeline/preview-cache.js';

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
