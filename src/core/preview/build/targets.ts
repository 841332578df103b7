import { ApiError, invalidParam } from '../../base/errors/api-error.js';
import { isFault } from '../../base/errors/outbound-error.js';
import type { Logger } from '../../base/logger.js';
import type { AddressPolicy } from '../../net/address/address-policy.js';
import { S3Failure } from '../../net/object-storage/s3-bucket.js';
import { isDataUrl } from '../download/answer-body.js';
import {
  UNSTATED_TYPE,
  type Download,
  type Downloader,
  type DownloadRequest,
} from '../download/downloader.js';
import { SMALLEST_SIDE } from '../extract/images.js';
import type { OpenGraph } from '../extract/values.js';
import { DECODABLE_TYPES, isBitmap, isImageType, mayBeImage } from '../media/image/image-type.js';
import type { MediaStore, NewMedia, SavedMedia } from '../media/media-store.js';
import type { BlacklistHit, BlacklistHitStore, HitStage } from '../pipeline/blacklist-hits.js';
import type { BodyBudget } from '../pipeline/preview-bounds.js';
import { addressRuleText, type UrlRules } from '../rules/url-rules.js';
import { failureLine, noteMissing, type PreviewJob } from './job.js';

interface PreviewTargetsOptions {
  downloader: Pick<Downloader, 'download'>;
  rules: UrlRules;
  /** What the connections of previews are judged by; names the range that refused. */
  policy: AddressPolicy;
  /** Refusals are kept for operators. */
  hits: Pick<BlacklistHitStore, 'record'>;
  budget: BodyBudget;
  media: MediaStore;
}

/** What is downloaded, and for which part of a preview. */
interface TargetRequest extends Pick<DownloadRequest, 'url' | 'kind' | 'told'> {
  stage: HitStage;
  allowDataUrls?: boolean;
}

/** Who is refused an address, and where on the way. */
type Visit = Pick<BlacklistHit, 'userId' | 'requestId' | 'stage'>;

/** A download whose body is held in memory, and counts as that, until it is released. */
interface HeldDownload extends Download {
  release: () => void;
}

export interface Target extends HeldDownload {
  media: NewMedia;
  kind: ReturnType<typeof kindOf>;
}

const GONE = Buffer.alloc(0);

/** Downloads what a preview is made of, from where the rules allow it, and stores it as media of the user (SPEC §4.7.5). */
export class PreviewTargets {
  constructor(private readonly options: PreviewTargetsOptions) {}

  /** SPEC §4.7.1: throws 403 for an address that a rule matches, 400 for one that cannot be split. */
  check(url: string, visit: Visit): void {
    const match = this.options.rules.match(url);
    if (match === null) return;
    if (match === 'unsplittable') throw invalidParam("Query parameter 'url' is not a valid URL");
    this.options.hits.record({ ...visit, url, rule: match.rule, address: null });
    throw new ApiError(403, 'URL blocked by url pattern blacklist entry', {
      reason: 'url_blocked',
      detail: `${url} matches ${match.rule}`,
    });
  }

  /** The target of a preview. Rejects with the errors of SPEC §7; refusals are kept for operators. */
  async fetch(
    url: string,
    { isOembed, stage, job }: { isOembed: boolean; stage?: HitStage; job: PreviewJob },
  ): Promise<Target> {
    const told = job.trace?.download(stage === 'redirect');
    const what = isOembed
      ? ({ kind: 'oembed', stage: 'oembed' } as const)
      : ({ kind: 'page', stage: stage ?? 'target' } as const);
    const download = await this.download({ url, told, ...what }, job);
    const kind = kindOf(download, isOembed);
    try {
      const media = await this.store(download, { isImage: kind === 'image', job });
      // Nobody reads more of an image.
      if (kind === 'image') download.release();
      return Object.assign(download, { media, kind });
    } catch (error) {
      download.release();
      throw error;
    }
  }

  /** Stores a download as media of the user, images with thumbnails. */
  async store(
    download: HeldDownload,
    { isImage, job: { userId, client, signal, trace } }: { isImage: boolean; job: PreviewJob },
  ): Promise<SavedMedia> {
    const { contentType, fileName: uploadName, finalUrl } = download;
    const urlCache = isDataUrl(finalUrl) ? 'data:' : finalUrl;
    const details = { userId, contentType, uploadName, urlCache };
    const media = await this.options.media.save(download, details, { thumbnails: isImage, client, signal });
    if (isImage) trace?.image(media);
    return media;
  }

  /** Each address on the way is judged. Images, and oEmbed answers that a page advertises, may be data URLs. */
  async download(
    { stage, allowDataUrls = false, ...request }: TargetRequest,
    job: PreviewJob,
  ): Promise<HeldDownload> {
    const { client, signal, userId, requestId } = job;
    let at: string | null = null;
    const visit = { stage, userId, requestId };
    const onHop = (hop: string): void => {
      if (at !== null && visit.stage === 'target') visit.stage = 'redirect';
      at = hop;
      this.check(hop, visit);
    };
    try {
      const how = { allowDataUrls, signal, onHop, client };
      const download = await this.options.downloader.download({ ...request, ...how });
      const end = this.options.budget.hold(client, download.body.length);
      const held: HeldDownload = {
        ...download,
        release: () => {
          held.body = GONE;
          end();
        },
      };
      return held;
    } catch (error) {
      if (at !== null && error instanceof ApiError && error.reason === 'address_blocked') {
        const { address } = error;
        const range = address === null ? null : this.options.policy.judge(address).range;
        const rule = addressRuleText('url_preview_ip_range_blacklist', range);
        this.options.hits.record({ ...visit, url: at, rule, address });
      }
      throw error;
    }
  }
}

/**
 * What a target is taken for (SPEC §4.7.6 to §4.7.10): by its label, unless the bytes of a page or an oEmbed answer are
 * those of an image.
 */
function kindOf({ contentType, body }: Download, isOembed: boolean): 'image' | 'page' | 'oembed' | 'other' {
  if (isImageType(contentType)) return 'image';
  if (contentType === UNSTATED_TYPE) return 'other';
  if (isBitmap(body)) return 'image';
  if (/^(?:text\/html|application\/xhtml)/i.test(contentType)) return 'page';
  return isOembed && /^application\/json/i.test(contentType) ? 'oembed' : 'other';
}

interface PageImagesOptions {
  targets: PreviewTargets;
  logger: Logger;
  /** How many are tried before a preview goes without an image. */
  maxCandidates: number;
  /** `svc:image:size` or `matrix:image:size`; and `<media_scheme>://<server_name>/`, which media ids follow (SPEC §2.3). */
  keys: { sizeKey: string; contentUri: string };
}

interface LoadedImage {
  url: string;
  media: NewMedia;
}

const NO_THREAD = /^worker_(?:died|unavailable)$/;

/** Loads and stores the image of a page (SPEC §4.7.9). A failed image never fails a preview. */
export class PageImages {
  constructor(private readonly options: PageImagesOptions) {}

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
      if (job.signal.aborted || errors.some((error) => isFault(error, 'busy'))) break;
      const media = await this.#tryOne(url, job, errors);
      if (media === null) continue;
      const grade = gradeOf(media);
      if (grade === GOOD) return { url, media };
      if (spare === null || grade > gradeOf(spare.media)) spare = { url, media };
    }
    for (const error of errors) if (spare === null || isFault(error, 'busy')) noteMissing(job.missing, error);
    return spare;
  }

  /** `null`: no image. What it fails with is logged and added to `errors`. */
  async #tryOne(url: string, job: PreviewJob, errors: unknown[]): Promise<NewMedia | null> {
    const { targets, logger } = this.options;
    const part = job.trace?.part('picture', url);
    try {
      const download = await targets.download(
        { url, kind: 'image', stage: 'image', allowDataUrls: true },
        job,
      );
      part?.end('ok', `returned ${download.sizeBytes} bytes of ${download.contentType}`);
      const { body, contentType, release } = download;
      try {
        // Without a Content-Type it is none (SPEC §4.7.5).
        if (contentType !== UNSTATED_TYPE && mayBeImage(body, contentType))
          return await targets.store(download, { isImage: true, job });
      } finally {
        release();
      }
      part?.end('warning', `is not an image, but labelled ${contentType}`, { reason: 'no_picture' });
      return null;
    } catch (error) {
      // It says nothing about the image, and a preview without it would be kept for an hour.
      if (isFatal(error)) throw error;
      errors.push(error);
      logger.info(failureLine(error, job, { image: url }), 'image of a preview failed');
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
