import { parentPort } from 'node:worker_threads';

import { extractPage } from './core/preview/extract/extract-page.js';
import { Thumbnailer } from './core/preview/media/image/thumbnailer.js';
import { InProcessMediaProcessor } from './core/preview/media/storage/in-process-media-processor.js';
import { convertOembed } from './core/preview/oembed/convert-oembed.js';
import { yieldToMainThread } from './core/base/runtime/yield-to-main.js';
import { serveCalls } from './core/base/worker/serve-calls.js';
import type { WorkerCalls } from './core/preview/pipeline/preview-worker.js';

if (parentPort === null) throw new Error('this is the program of a worker thread');

yieldToMainThread();
const thumbnailer = new Thumbnailer();
const processor = new InProcessMediaProcessor(thumbnailer);

serveCalls<WorkerCalls>(parentPort, {
  keep: (job, { body }) => processor.keep({ bytes: body, ...job }),
  makeThumbnails: (job, { tell }) => processor.makeThumbnails(job, tell),
  inspect: (job, { body }) => processor.inspect({ bytes: body, ...job }),
  render: (job, { body, tell }) => processor.render(body, job, tell),
  extractPage: ({ input, mode }, { body, signal }) => extractPage({ ...input, body }, { mode, signal }),
  convertOembed: async (context, { body }) => convertOembed(body, context),
  warmUp,
});

/** Reads a page and makes a thumbnail, so that the first preview finds everything loaded. */
async function warmUp(): Promise<void> {
  const body = Buffer.from(
    '<!doctype html><meta property="og:title" content="Warm"><title>Warm</title><p>Warm</p>',
  );
  const input = { body, contentType: 'text/html', url: 'https://warm.invalid/' };
  await extractPage(input, { mode: 'enhanced' });
  await thumbnailer.warmUp();
}
