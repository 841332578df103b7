import { join } from 'node:path';

import { builtFolder } from '../../store/migration/files.js';
import type { ExtractOptions, ExtractPage, PageExtract, PageInput } from '../extract/extract-page.js';
import { loadDecoder } from '../media/image/load-decoder.js';
import type {
  DecodedImage,
  KeepJob,
  KeptMedia,
  MadeThumbnails,
  MediaInspector,
  MediaProcessor,
  RenderedImage,
  ThumbnailJob,
} from '../media/storage/media-jobs.js';
import type { ConvertOembed, OembedContext, OembedData } from '../oembed/convert-oembed.js';
import type { FairQueueOptions, QueueLoad } from '../../base/fair-queue.js';
import type { Logger } from '../../base/logger.js';
import { asBuffer } from '../../base/worker/messages.js';
import { workQueue } from '../../base/worker/work-queue.js';
import { WorkerThread } from '../../base/worker/worker-thread.js';

/** What `worker.ts` does; bodies come beside. */
export type WorkerCalls = {
  keep: { argument: Omit<KeepJob, 'bytes'>; value: KeptMedia };
  makeThumbnails: { argument: ThumbnailJob; value: MadeThumbnails; interim: DecodedImage };
  inspect: { argument: Omit<KeepJob, 'bytes' | 'paths'>; value: KeptMedia };
  render: { argument: Omit<ThumbnailJob, 'paths'>; value: RenderedImage; interim: DecodedImage };
  extractPage: {
    argument: { input: Omit<PageInput, 'body'>; mode: ExtractOptions['mode'] };
    value: PageExtract | null;
  };
  convertOembed: { argument: OembedContext; value: OembedData };
  warmUp: { argument: null; value: void };
};

/** The worker thread behind the interfaces of what it does. */
export interface PreviewWorker {
  /** Keeps files on disk. */
  processor: MediaProcessor;
  /** Touches no files. */
  inspector: MediaInspector;
  extractPage: ExtractPage;
  convertOembed: ConvertOembed;
  /** Pages being read and waiting for it now. */
  readingLoad(): QueueLoad;
  /** Starts the thread and has it load what it works with. Rejects as `WorkerThread.call`. */
  warmUp(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface WorkerParts {
  logger: Logger;
  /** Told of each page that has to wait until it is read. */
  onLimit?: FairQueueOptions['onLimit'];
}

/** A page that makes the reader take more than this ends the thread, not the process. */
const MAX_OLD_GENERATION_MB = 256;
/** What is read at the same time has to fit into that; as many wait as there can be previews under way. */
const READING = { maxRunning: 4, reserved: 1, maxWaiting: 1000 };
/** Little of what it makes outlives a page or image; in a small space that is seen soon. */
const MAX_YOUNG_GENERATION_MB = 4;

/** Work on pages and images happens in a second thread, so that key queries never wait for it. */
export function createPreviewWorker({ logger, onLimit }: WorkerParts): PreviewWorker {
  const thread = new WorkerThread<WorkerCalls>({
    program: join(builtFolder(), 'server', 'worker.js'),
    limits: {
      maxOldGenerationSizeMb: MAX_OLD_GENERATION_MB,
      maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
    },
    prepare: () => prepare(logger),
    logger,
  });
  const reading = workQueue({ ...READING, onLimit });
  return {
    processor: {
      keep: ({ bytes, ...job }, options) => thread.call('keep', job, { body: bytes, ...options }),
      makeThumbnails: (job, onInterim) => thread.call('makeThumbnails', job, { onInterim }),
    },
    inspector: {
      inspect: ({ bytes, ...job }, options) => thread.call('inspect', job, { body: bytes, ...options }),
      render: async (bytes, job, onInterim) =>
        withBuffers(await thread.call('render', job, { body: bytes, mayTake: true, onInterim })),
    },
    extractPage: ({ body, ...input }, { mode, client, signal, mayTake = false }) =>
      reading.run(
        { client },
        () => thread.call('extractPage', { input, mode }, { body, mayTake, signal }),
        signal,
      ),
    convertOembed: (body, { client, ...context }) =>
      reading.run({ client }, () => thread.call('convertOembed', context, { body })),
    readingLoad: () => reading.load,
    warmUp: (signal) => thread.call('warmUp', null, { signal }),
    close: () => thread.close(),
  };
}

/** Bytes come from the other thread as plain `Uint8Array`. */
function withBuffers({ image, ...decoded }: RenderedImage): RenderedImage {
  if (image === null) return { image, ...decoded };
  const thumbnails = image.thumbnails.map(({ bytes, ...key }) => ({ bytes: asBuffer(bytes), ...key }));
  return { image: { ...image, thumbnails }, ...decoded };
}

/** Without the decoder images have no thumbnails; pages are read all the same. */
async function prepare(logger: Logger): Promise<void> {
  try {
    loadDecoder();
  } catch (error) {
    logger.error({ err: error }, 'the decoder cannot be loaded');
  }
}
