import { ApiError, invalidParam } from '../../base/errors/api-error.js';
import type { AddressPolicy } from '../../net/address/address-policy.js';
import { isDataUrl } from '../download/answer-body.js';
import {
  UNSTATED_TYPE,
  type Download,
  type Downloader,
  type DownloadKind,
  type DownloadRequest,
} from '../download/downloader.js';
import { isBitmap, isImageType } from '../media/image/image-type.js';
import type { MediaStore, NewMedia, SavedMedia } from '../media/media-store.js';
import type { BlacklistHit, BlacklistHitStore, HitStage } from '../pipeline/blacklist-hits.js';
import type { BodyBudget } from '../pipeline/preview-bounds.js';
import { addressRuleText, type UrlRules } from '../rules/url-rules.js';
import type { PreviewJob } from './job.js';

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
interface TargetRequest {
  url: string;
  kind: DownloadKind;
  stage: HitStage;
}

/** Who is refused an address, and where on the way. */
type Visit = Pick<BlacklistHit, 'userId' | 'requestId' | 'stage'>;

/** A download whose body is held in memory, and counts as that, until it is released. */
export interface HeldDownload extends Download {
  release: () => void;
}

export interface Target extends HeldDownload {
  media: NewMedia;
  kind: TargetKind;
}

/** What a target is taken for (SPEC §4.7.6 to §4.7.10). */
export type TargetKind = 'image' | 'page' | 'oembed' | 'other';

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
    const request = { url, kind: isOembed ? 'oembed' : 'page', told } as const;
    const download = await this.#download(
      { stage: stage ?? (isOembed ? 'oembed' : 'target'), ...request },
      job,
    );
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

  /** An image, or an oEmbed answer that a page advertises; both may be data URLs. */
  downloadPart(request: TargetRequest, job: PreviewJob): Promise<HeldDownload> {
    return this.#download({ ...request, allowDataUrls: true }, job);
  }

  /** Each address on the way is judged. */
  async #download(
    {
      stage,
      allowDataUrls = false,
      ...request
    }: TargetRequest & Partial<Pick<DownloadRequest, 'allowDataUrls' | 'told'>>,
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
      if (at !== null) this.#noteFailure(at, visit, error);
      throw error;
    }
  }

  /** Keeps a refusal by the address policy; other errors are none of its business. */
  #noteFailure(url: string, visit: Visit, error: unknown): void {
    if (!(error instanceof ApiError) || error.reason !== 'address_blocked') return;
    const { address } = error;
    const range = address === null ? null : this.options.policy.judge(address).range;
    const rule = addressRuleText('url_preview_ip_range_blacklist', range);
    this.options.hits.record({ ...visit, url, rule, address });
  }
}

/** By its label, unless the bytes of a page or an oEmbed answer are those of an image. */
function kindOf({ contentType, body }: Download, isOembed: boolean): TargetKind {
  if (isImageType(contentType)) return 'image';
  if (contentType === UNSTATED_TYPE) return 'other';
  if (isBitmap(body)) return 'image';
  if (/^(?:text\/html|application\/xhtml)/i.test(contentType)) return 'page';
  return isOembed && /^application\/json/i.test(contentType) ? 'oembed' : 'other';
}
