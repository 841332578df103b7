import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { S3Failure } from '../../net/object-storage/s3-failure.js';
import { UNSTATED_TYPE } from '../download/downloader.js';
import { SMALLEST_SIDE } from '../extract/images.js';
import type { OpenGraph } from '../extract/values.js';
import { DECODABLE_TYPES, mayBeImage } from '../media/image/image-type.js';
import type { NewMedia } from '../media/media-store.js';
import { failureLine, isOurs, noteMissing, type PreviewJob } from './job.js';
import type { PreviewTargets } from './targets.js';

/** Names that depend on the dialect and the server. */
export interface ImageKeys {
  /** `svc:image:size` or `matrix:image:size`. */
  sizeKey: string;
  /** `<media_scheme>://<server_name>/`, which the media's id follows (SPEC §2.3). */
  contentUri: string;
}

interface LoadedImage {
  url: string;
  media: NewMedia;
}

const NO_THREAD = /^worker_(?:died|unavailable)$/;

/** Loads and stores the image of a page (SPEC §4.7.9). A failed image never fails a preview. */
export class PageImages {
  /** `maxCandidates`: how many are tried before a preview goes without an image. */
  constructor(
    private readonly options: {
      targets: PreviewTargets;
      logger: Logger;
      maxCandidates: number;
      keys: ImageKeys;
    },
  ) {}

  /**
   * SPEC §4.7.9: takes out what only a stored image may say (SPEC §2.3), as no page knows how large what it names will
   * be, and all that the page says of its first image where another one is shown; then a stored one takes its place.
   */
  async addTo(openGraph: OpenGraph, candidates: readonly string[], job: PreviewJob): Promise<void> {
    const image = await this.#load(candidates, job);
    const isFirst = image?.url === candidates[0];
    const ofStored = ['', ':type', ':width', ':height'].map((end) => `og:image${end}`);
    for (const key of [...ofStored, this.options.keys.sizeKey]) openGraph.delete(key);
    if (!isFirst) for (const key of openGraph.keys()) if (key.startsWith('og:image:')) openGraph.delete(key);
    if (image !== null) this.show(openGraph, image.media);
  }

  /** Says what a stored image is (SPEC §4.7.6 and §4.7.9): its type by its bytes, or as the site labels it where they tell none. */
  show(openGraph: OpenGraph, media: NewMedia): void {
    const { contentType, sniffedType, sizeBytes, mediaId, width, height } = media;
    const { keys } = this.options;
    openGraph.set('og:image', keys.contentUri + mediaId);
    openGraph.set('og:image:type', sniffedType ?? contentType);
    openGraph.set(keys.sizeKey, sizeBytes);
    if (width === null || height === null) return;
    openGraph.set('og:image:width', width);
    openGraph.set('og:image:height', height);
  }

  /**
   * The first candidate that is an image worth showing, stored with thumbnails; else the best of those that are an
   * image at all, or `null`. Media stored on the way and not used are left to the cleanup.
   */
  async #load(candidates: readonly string[], job: PreviewJob): Promise<LoadedImage | null> {
    let spare: LoadedImage | null = null;
    const errors: unknown[] = [];
    for (const url of candidates.slice(0, this.options.maxCandidates)) {
      if (job.signal.aborted || errors.some(isOurs)) break;
      const media = await this.#tryOne(url, job, errors);
      if (media === null) continue;
      const grade = gradeOf(media);
      if (grade === GOOD) return { url, media };
      if (spare === null || grade > gradeOf(spare.media)) spare = { url, media };
    }
    for (const error of errors) if (spare === null || isOurs(error)) noteMissing(job.missing, error);
    return spare;
  }

  /** `null`: no image. What it fails with is logged and added to `errors`. */
  async #tryOne(url: string, job: PreviewJob, errors: unknown[]): Promise<NewMedia | null> {
    const part = job.trace?.part('picture', url);
    try {
      const download = await this.options.targets.downloadPart({ url, kind: 'image', stage: 'image' }, job);
      part?.end('ok', `returned ${download.sizeBytes} bytes of ${download.contentType}`);
      const { body, contentType, release } = download;
      try {
        // Without a Content-Type it is none (SPEC §4.7.5).
        if (contentType !== UNSTATED_TYPE && mayBeImage(body, contentType))
          return await this.options.targets.store(download, { isImage: true, job });
      } finally {
        release();
      }
      part?.end('warning', `is not an image, but labelled ${contentType}`, { reason: 'no_picture' });
      return null;
    } catch (error) {
      // It says nothing about the image, and a preview without it would be kept for an hour.
      if (isFatal(error)) throw error;
      errors.push(error);
      const line = failureLine(error, job, { image: url });
      this.options.logger.info(line, 'image of a preview failed');
      part?.fail('warning', error);
      return null;
    }
  }
}

function isFatal(error: unknown): boolean {
  return error instanceof S3Failure || (error instanceof ApiError && NO_THREAD.test(error.reason ?? ''));
}

const GOOD = 4;

/** How good an image is for a preview, the better the higher. */
function gradeOf({ sniffedType, width, height }: NewMedia): number {
  // An image by its label alone.
  if (sniffedType === null) return 0;
  // Broken or too large; SVG and ICO are never decoded, so without thumbnails.
  if (width === null || height === null) return DECODABLE_TYPES.has(sniffedType) ? 1 : 3;
  return Math.min(width, height) < SMALLEST_SIDE ? 2 : GOOD;
}
