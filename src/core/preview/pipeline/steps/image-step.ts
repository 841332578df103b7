import { S3Failure } from '../../../net/object-storage/s3-failure.js';
import { ApiError } from '../../../base/errors/api-error.js';
import { UNSTATED_TYPE } from '../../download/body/content-type.js';
import { isDataUrl } from '../../download/body/data-url.js';
import { SMALLEST_SIDE } from '../../extract/images/image-limits.js';
import type { Logger } from '../../../base/logger.js';
import { DECODABLE_TYPES } from '../../media/image/image-type.js';
import type { MediaStore, SavedMedia } from '../../media/media-store.js';
import { failureOf } from '../../download/download-trace.js';
import { SILENT_TRACE } from '../../../base/trace.js';
import { bothLacks, isOurs, lackOf, NO_LACK, type Lack } from './lack.js';
import type { PreviewJob } from '../preview-job.js';
import { failureLine } from './failure-line.js';
import { gatedDownload, type GatedDownloader, type HeldDownload } from './gated-download.js';
import { InnerTrace, msSince, tell } from './preview-steps.js';

const NO_THREAD = /^worker_(?:died|unavailable)$/;

/** What the step is built from. */
export interface ImageStepOptions extends GatedDownloader {
  media: MediaStore;
  logger: Logger;
  /** How many candidates are tried before a preview goes without an image. */
  maxCandidates: number;
}

/** A candidate that loaded. */
export interface LoadedImage {
  /** As the candidate was given. */
  url: string;
  media: SavedMedia;
}

/** What looking for an image came to. */
export interface ImageSearch {
  /** `null` when no candidate loads and is an image. */
  image: LoadedImage | null;
  /** Why there is none, or perhaps no better one. */
  lack: Lack;
}

/** Loads and stores the image of a page (SPEC §4.7.9). A failed image never fails a preview. */
export class ImageStep {
  constructor(private readonly options: ImageStepOptions) {}

  /**
   * The first candidate that is an image worth showing, stored with thumbnails; else the best of those that are an
   * image at all. Media stored on the way and not used are left to the cleanup.
   */
  async precache(candidates: readonly string[], job: PreviewJob): Promise<ImageSearch> {
    let spare: LoadedImage | null = null;
    let lack = NO_LACK;
    for (const url of candidates.slice(0, this.options.maxCandidates)) {
      if (job.signal.aborted) break;
      const { media, error } = await this.#tryOne(url, job);
      if (isOurs(error)) return { image: spare, lack: lackOf(error) };
      lack = bothLacks(lack, lackOf(error));
      if (media === null) continue;
      const grade = gradeOf(media);
      if (grade === Grade.good) return { image: { url, media }, lack: NO_LACK };
      if (spare === null || grade > gradeOf(spare.media)) spare = { url, media };
    }
    return { image: spare, lack: spare === null ? lack : NO_LACK };
  }

  async #tryOne(url: string, job: PreviewJob): Promise<Tried> {
    job.trace.begin?.('picture');
    const startMs = performance.now();
    const inner = job.trace === SILENT_TRACE ? null : new InnerTrace();
    const step = (status: 'ok' | 'warning', sentence: string, detail = {}) =>
      tell(job.trace, 'picture', {
        status,
        sentence,
        ms: msSince(startMs),
        detail: { url: shown(url), ...inner?.detail, ...detail },
      });
    try {
      const trace = inner ?? SILENT_TRACE;
      const download = await gatedDownload(
        this.options,
        { url, kind: 'image', stage: 'image', allowDataUrls: true, trace },
        job,
      );
      step('ok', `${shown(url)} gave ${download.sizeBytes} bytes of ${download.contentType}`);
      const media = await this.#save(url, download, job).finally(download.release);
      if (isImage(media)) return { media, error: null };
      step('warning', `${shown(url)} is no image but ${media.contentType}`, { reason: 'no_picture' });
    } catch (error) {
      // It says nothing about the image, and a preview without it would be kept for an hour.
      if (error instanceof S3Failure || (error instanceof ApiError && NO_THREAD.test(error.reason ?? '')))
        throw error;
      const line = failureLine(error, job, { image: url });
      this.options.logger.info(line, 'image of a preview failed');
      const { sentence, detail } = failureOf(error);
      step('warning', `${shown(url)} could not be used: ${sentence}`, detail);
      return { media: null, error };
    }
    return { media: null, error: null };
  }

  async #save(url: string, download: HeldDownload, job: PreviewJob): Promise<SavedMedia> {
    const { asker, signal, trace } = job;
    const details = {
      userId: job.userId,
      contentType: download.contentType,
      uploadName: download.fileName,
      urlCache: isDataUrl(url) ? 'data:' : download.finalUrl,
    };
    const media = await this.options.media.save(download, details, {
      thumbnails: download.contentType !== UNSTATED_TYPE,
      mayFollow: 'head',
      mayTake: true,
      onKept: download.release,
      asker,
      signal,
      trace,
    });
    job.noteMedia?.(media.mediaId);
    return media;
  }
}

/** What became of a candidate. */
interface Tried {
  /** `null`: no image. */
  media: SavedMedia | null;
  /** What it failed with. */
  error: unknown;
}

/** How good an image is for a preview, the better the higher. */
const Grade = {
  /** An image by its label alone. */
  labelled: 0,
  /** Broken, or too large to decode. */
  undecodable: 1,
  tiny: 2,
  /** SVG, ICO: never decoded, so without thumbnails. */
  neverDecoded: 3,
  good: 4,
} as const;

function gradeOf({ sniffedType, width, height }: SavedMedia): number {
  if (sniffedType === null) return Grade.labelled;
  if (width === null || height === null)
    return DECODABLE_TYPES.has(sniffedType) ? Grade.undecodable : Grade.neverDecoded;
  return Math.min(width, height) < SMALLEST_SIDE ? Grade.tiny : Grade.good;
}

/** An image by its label or, under another one, by its first bytes; without any it is none (SPEC §4.7.5). */
export function isImage(media: Pick<SavedMedia, 'contentType' | 'sniffedType'>): boolean {
  if (media.contentType === UNSTATED_TYPE) return false;
  return /^image\//i.test(media.contentType) || media.sniffedType !== null;
}

/** The media type to state: what the stored bytes are; the site's label only where they do not tell. */
export function imageTypeOf(media: Pick<SavedMedia, 'contentType' | 'sniffedType'>): string {
  return media.sniffedType ?? media.contentType;
}

const SHOWN_LENGTH = 200;

function shown(url: string): string {
  return url.length > SHOWN_LENGTH ? `${url.slice(0, SHOWN_LENGTH)}…` : url;
}
