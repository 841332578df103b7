import type { Download } from '../../download/download.js';
import type { MediaStore, SavedMedia } from '../../media/media-store.js';
import type { HitStage } from '../blacklist-hit-store.js';
import type { PreviewJob } from '../preview-job.js';
import { gatedDownload, type GatedDownloader, type HeldDownload } from './gated-download.js';

/** What the step is built from. */
export interface TargetStepOptions extends GatedDownloader {
  media: MediaStore;
}

/** A downloaded and stored target. Its body is lent once and then forgotten, since previews wait for images. */
export class Target {
  constructor(
    private readonly download: HeldDownload,
    readonly media: SavedMedia,
    /** Whether an oEmbed endpoint was fetched instead of the page (SPEC §4.7.4). */
    readonly isOembed: boolean,
  ) {}

  get head(): Omit<Download, 'body'> {
    return this.download;
  }

  /** Lets `work` read the body; afterwards it is gone. */
  async read<T>(work: (body: Buffer) => Promise<T>): Promise<T> {
    try {
      return await work(this.download.body);
    } finally {
      this.drop();
    }
  }

  /** Forgets the body, read or not. */
  drop(): void {
    this.download.release();
  }
}

/** How a target is fetched. */
export interface FetchOptions {
  isOembed: boolean;
  /** What refusals are kept under; by default that of a first address. */
  stage?: HitStage;
  job: PreviewJob;
}

/** Fetches what a preview is made of and stores it as media of the asking user (SPEC §4.7.5). */
export class TargetStep {
  constructor(private readonly options: TargetStepOptions) {}

  /** Rejects with the errors of SPEC §7; refusals are kept for operators. */
  async fetch(url: string, { isOembed, stage, job }: FetchOptions): Promise<Target> {
    const { kind, first } = isOembed
      ? ({ kind: 'oembed', first: 'oembed' } as const)
      : ({ kind: 'page', first: 'target' } as const);
    const request = { url, kind, stage: stage ?? first, allowDataUrls: false, trace: job.trace };
    return this.#store(await gatedDownload(this.options, request, job), { isOembed, job });
  }

  async #store(
    download: HeldDownload,
    { isOembed, job }: { isOembed: boolean; job: PreviewJob },
  ): Promise<Target> {
    const { contentType, fileName, finalUrl, release } = download;
    try {
      const details = { userId: job.userId, contentType, uploadName: fileName, urlCache: finalUrl };
      const thumbnails = isImageType(contentType);
      const media = await this.options.media.save(download, details, {
        thumbnails,
        mayFollow: 'decoded',
        asker: job.asker,
        signal: job.signal,
        trace: job.trace,
        mayTake: true,
        onBack: (back) => {
          download.body = back;
        },
        // Of an image nobody reads more.
        ...(thumbnails ? { onKept: release } : {}),
      });
      job.noteMedia?.(media.mediaId);
      return new Target(download, media, isOembed);
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** `image/…` in any case. */
export function isImageType(contentType: string): boolean {
  return /^image\//i.test(contentType);
}
