import { addCount } from '../../base/fair-queue.js';
import { SILENT_TRACE } from '../../base/trace.js';
import {
  UNSTATED_TYPE,
  type Download,
  type Downloader,
  type DownloadKind,
  type DownloadRequest,
} from '../download/downloader.js';
import { isBitmap, isImageType } from '../media/image/image-type.js';
import type { NewMedia } from '../media/media-row-store.js';
import type { MediaStore } from '../media/media-store.js';
import type { HitStage, UrlGate } from '../pipeline/url-gate.js';
import type { PreviewJob } from './job.js';
import { tellImage } from './steps.js';

interface BodyBudgetListener {
  onBound: () => void;
  onRoom: () => void;
}

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory. Users with nothing held may exceed the limit, up
 * to twice its size, so that one user's pages do not stop the others.
 */
export class BodyBudget {
  #heldBytes = 0;
  readonly #heldByUser = new Map<string, number>();

  constructor(
    private readonly maxBytes: number,
    private readonly listener: BodyBudgetListener,
  ) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether a further download of the user may begin. */
  hasRoom(user: string): boolean {
    const limit = this.#heldByUser.has(user) ? this.maxBytes : 2 * this.maxBytes;
    return this.#heldBytes <= limit;
  }

  /** Counts a body for the user until the function returned is called. */
  hold(user: string, bytes: number): () => void {
    const hadRoom = this.#heldBytes <= this.maxBytes;
    this.#add(user, bytes);
    if (hadRoom && this.#heldBytes > this.maxBytes) this.listener.onBound();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(user, -bytes);
      if (this.#heldBytes <= 2 * this.maxBytes) this.listener.onRoom();
    };
  }

  #add(user: string, bytes: number): void {
    this.#heldBytes += bytes;
    addCount(this.#heldByUser, user, bytes);
  }
}

interface PreviewTargetsOptions {
  downloader: Pick<Downloader, 'download'>;
  gate: UrlGate;
  budget: BodyBudget;
  media: MediaStore;
}

/** What is downloaded, and for which part of a preview. */
interface TargetRequest {
  url: string;
  kind: DownloadKind;
  stage: HitStage;
}

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

/** Downloads what a preview is made of, and stores it as media of the requesting user (SPEC §4.7.5). */
export class PreviewTargets {
  constructor(private readonly options: PreviewTargetsOptions) {}

  /** The target of a preview. Rejects with the errors of SPEC §7; refusals are kept for operators. */
  async fetch(
    url: string,
    { isOembed, stage, job }: { isOembed: boolean; stage?: HitStage; job: PreviewJob },
  ): Promise<Target> {
    const request = { url, kind: isOembed ? 'oembed' : 'page' } as const;
    const download = await this.#download(
      { stage: stage ?? (isOembed ? 'oembed' : 'target'), ...request },
      job,
    );
    const { contentType, fileName, finalUrl, release } = download;
    const kind = kindOf(download, isOembed);
    const isImage = kind === 'image';
    try {
      const media = await this.options.media.save(
        download,
        { userId: job.userId, contentType, uploadName: fileName, urlCache: finalUrl },
        { thumbnails: isImage, client: job.client, signal: job.signal },
      );
      if (isImage) {
        tellImage(job.trace, media);
        // Nobody reads more of it.
        release();
      }
      return Object.assign(download, { media, kind });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** An image, or an oEmbed answer that a page advertises; both may be data URLs. */
  downloadPart(request: TargetRequest, job: PreviewJob): Promise<HeldDownload> {
    return this.#download({ ...request, allowDataUrls: true, trace: SILENT_TRACE }, job);
  }

  /** The gate judges each address on the way, and what refuses one is kept for operators. */
  async #download(
    {
      stage,
      allowDataUrls = false,
      trace,
      ...request
    }: TargetRequest & Partial<Pick<DownloadRequest, 'allowDataUrls' | 'trace'>>,
    job: PreviewJob,
  ): Promise<HeldDownload> {
    const { downloader, gate, budget } = this.options;
    const { client, signal, userId, requestId } = job;
    const { onHop, noteFailure } = gate.watch({ stage, userId, requestId });
    try {
      const download = await downloader.download({
        ...request,
        allowDataUrls,
        signal,
        onHop,
        client,
        trace: trace ?? job.trace,
      });
      const end = budget.hold(client, download.body.length);
      const held: HeldDownload = {
        ...download,
        release: () => {
          held.body = GONE;
          end();
        },
      };
      return held;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
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
