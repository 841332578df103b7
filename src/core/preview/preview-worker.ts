import { join } from 'node:path';

import { workQueue, type FairQueue, type FairQueueOptions, type QueueLoad } from '../base/fair-queue.js';
import type { Logger } from '../base/logger.js';
import { asBuffer, WorkerThread } from '../base/worker/worker-thread.js';
import { builtFolder } from '../store/migration-files.js';
import type { ExtractOptions, ExtractPage, PageExtract, PageInput } from './extract/extract-page.js';
import {
  loadDecoder,
  type InspectedMedia,
  type RenderedImage,
  type RenderJob,
} from './media/image/thumbnailer.js';
import type { InspectOptions, LocalMedia } from './media/media-work.js';
import type { ConvertOembed, OembedContext, OembedData } from './oembed/convert-oembed.js';

/** What `worker.ts` does; bodies come beside. */
export type WorkerCalls = {
  inspect: { argument: InspectOptions; value: InspectedMedia & { body: Uint8Array } };
  render: { argument: { disk: LocalMedia | null; job: RenderJob }; value: RenderedImage | null };
  extractPage: {
    argument: { input: Omit<PageInput, 'body'>; mode: ExtractOptions['mode'] };
    value: PageExtract | null;
  };
  convertOembed: { argument: OembedContext; value: OembedData };
  warmUp: { argument: null; value: void };
};

/** Work on the bytes of media; tests do it in their own thread. */
export type MediaInspector = Pick<PreviewWorker, 'inspect' | 'render'>;

/** A page that makes the reader take more than this ends the thread, not the process. */
const MAX_OLD_GENERATION_MB = 256;
/** What is read at the same time has to fit into that; as many wait as there can be previews under way. */
const READING = { maxRunning: 4, maxWaiting: 1000 };
/** Little of what it makes outlives a page or image; in 4 MB that costs a tenth more, and 32 MB do not fit into caches. */
const MAX_YOUNG_GENERATION_MB = 8;

/** Work on pages and images happens in a second thread, so that key queries never wait for it. */
export class PreviewWorker {
  readonly #thread: WorkerThread<WorkerCalls>;
  readonly #reading: FairQueue;

  /** `onLimit` is called for each page that has to wait until it is read. */
  constructor({ logger, onLimit }: Pick<FairQueueOptions, 'onLimit'> & { logger: Logger }) {
    this.#thread = new WorkerThread<WorkerCalls>({
      program: join(builtFolder(), 'server', 'worker.js'),
      limits: {
        maxOldGenerationSizeMb: MAX_OLD_GENERATION_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      },
      prepare: () => {
        try {
          loadDecoder();
        } catch (error) {
          // Without it images have no thumbnails; pages are read all the same.
          logger.error({ err: error }, 'the decoder cannot be loaded');
        }
      },
      logger,
    });
    this.#reading = workQueue({ ...READING, onLimit });
  }

  get readingLoad(): QueueLoad {
    return this.#reading.load;
  }

  /** What the bytes of a download are. They may move: `body` is where they are afterwards. */
  async inspect(bytes: Buffer, options: InspectOptions): Promise<InspectedMedia & { body: Buffer }> {
    const found = await this.#thread.call('inspect', options, { body: bytes, mayTake: true });
    return { ...found, body: asBuffer(found.body) };
  }

  /** Makes thumbnails of an image, whose bytes may be gone afterwards; `null`: its file is not there. */
  render(source: Buffer | LocalMedia, job: RenderJob): Promise<RenderedImage | null> {
    return Buffer.isBuffer(source)
      ? this.#thread.call('render', { disk: null, job }, { body: source, mayTake: true })
      : this.#thread.call('render', { disk: source, job });
  }

  readonly extractPage: ExtractPage = ({ body, ...input }, { mode, client, signal, mayTake = false }) =>
    this.#reading.run(
      { client },
      () => this.#thread.call('extractPage', { input, mode }, { body, mayTake, signal }),
      signal,
    );

  readonly convertOembed: ConvertOembed = (body, { client, signal, ...context }) =>
    this.#reading.run(
      { client },
      () => this.#thread.call('convertOembed', context, { body, signal }),
      signal,
    );

  /** Starts the thread and has it load what it works with. Rejects as `WorkerThread.call`. */
  warmUp(signal: AbortSignal): Promise<void> {
    return this.#thread.call('warmUp', null, { signal });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
