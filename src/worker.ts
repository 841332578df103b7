import { parentPort, workerData } from 'node:worker_threads';

import { keepMovingLog } from './core/store/sqlite/wal-checkpointer.js';
import { extractPage } from './core/preview/extract/extract-page.js';
import { Thumbnailer } from './core/preview/media/image/thumbnailer.js';
import { OwnHands } from './core/preview/media/storage/in-process-media-processor.js';
import { convertOembed } from './core/preview/oembed/convert-oembed.js';
import { serveCalls } from './core/base/worker/serve-calls.js';
import { yieldToMainThread } from './core/base/worker/yield-to-main.js';
import type { WorkerCalls, WorkerData } from './core/preview/pipeline/preview-worker.js';

if (parentPort === null) throw new Error('this is the program of a worker thread');

yieldToMainThread();
const { movedFile }: WorkerData = workerData;
if (movedFile !== null) await keepMovingLog(movedFile, warn);
const hands = new OwnHands(new Thumbnailer());

serveCalls<WorkerCalls>(parentPort, {
  keep: (job, { body }) => hands.keep({ bytes: body, ...job }),
  makeThumbnails: (job) => hands.makeThumbnails(job),
  extractPage: ({ input, mode }, { body, signal }) => extractPage({ ...input, body }, { mode, signal }),
  convertOembed: (context, { body }) => convertOembed(body, context),
});

/** To standard error, as Node's own warnings. */
function warn(fault: string): void {
  process.emitWarning(`the log of the database is left to whoever writes: ${fault}`);
}
