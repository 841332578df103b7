import { ApiError } from '../errors.js';
import type { Download } from '../download/download.js';
import type { Downloader } from '../download/downloader.js';
import type { Logger } from '../logger.js';
import type { MediaStore, SavedMedia } from '../media/media-store.js';
import type { PreviewJob } from './preview-job.js';
import type { UrlGate } from './url-gate.js';

/** What the step is built from. */
export interface ImageStepOptions {
  downloader: Downloader;
  media: MediaStore;
  gate: UrlGate;
  logger: Logger;
  /** How many candidates are tried before a preview goes without a picture. */
  maxCandidates: number;
}

/** A candidate that loaded. */
export interface LoadedPicture {
  /** As the candidate was given. */
  url: string;
  media: SavedMedia;
}

/** Loads and stores the picture of a page (§4.7.9). A failed picture never fails a preview. */
export class ImageStep {
  constructor(private readonly options: ImageStepOptions) {}

  /** The first candidate that loads and is an image, stored with thumbnails; `null` when none does. */
  async precache(candidates: readonly string[], job: PreviewJob): Promise<LoadedPicture | null> {
    let spare: LoadedPicture | null = null;
    for (const url of candidates.slice(0, this.options.maxCandidates)) {
      if (job.signal.aborted) break;
      const media = await this.#tryOne(url, job);
      if (media === null) continue;
      if (media.sniffedType !== null) return { url, media };
      // Labelled as an image, but no known one: good enough when nothing better follows.
      spare ??= { url, media };
    }
    return spare;
  }

  async #tryOne(url: string, job: PreviewJob): Promise<SavedMedia | null> {
    const startMs = performance.now();
    const step = (status: 'ok' | 'failed', sentence: string) =>
      job.trace.step({ name: 'image', status, ms: Math.round(performance.now() - startMs), sentence });
    try {
      const media = await this.#fetch(url, job);
      if (isImage(media)) {
        step('ok', `The picture ${shown(url)} is stored.`);
        return media;
      }
      step('failed', `${shown(url)} is no picture but ${media.contentType}.`);
    } catch (error) {
      const reason = error instanceof ApiError ? (error.detail ?? error.message) : String(error);
      this.options.logger.info({ page: job.url, image: shown(url), reason }, 'picture of a preview failed');
      step('failed', `The picture ${shown(url)} could not be loaded: ${reason}`);
    }
    return null;
  }

  async #fetch(url: string, job: PreviewJob): Promise<SavedMedia> {
    const { downloader, media, gate } = this.options;
    const watch = gate.watch({ ...job, stage: 'image' });
    let download: Download;
    try {
      download = await downloader.download({
        url,
        allowDataUrls: true,
        signal: job.signal,
        trace: job.trace,
        onHop: watch.onHop,
      });
    } catch (error) {
      watch.noteFailure(error);
      throw error;
    }
    const details = {
      userId: job.userId,
      contentType: download.contentType,
      uploadName: download.fileName,
      urlCache: isDataUrl(url) ? 'data:' : download.finalUrl,
    };
    return media.saveBytes(download.body, details, { thumbnails: true, signal: job.signal });
  }
}

/** An image by its label or by its first bytes. */
export function isImage(media: Pick<SavedMedia, 'contentType' | 'sniffedType'>): boolean {
  return /^image\//i.test(media.contentType) || media.sniffedType !== null;
}

/** The media type to state: the label when it is one of images, else what the bytes say. */
export function imageTypeOf(media: Pick<SavedMedia, 'contentType' | 'sniffedType'>): string {
  return /^image\//i.test(media.contentType) ? media.contentType : (media.sniffedType ?? media.contentType);
}

function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

const SHOWN_LENGTH = 200;

function shown(url: string): string {
  return url.length > SHOWN_LENGTH ? `${url.slice(0, SHOWN_LENGTH)}…` : url;
}
