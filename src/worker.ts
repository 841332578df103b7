import { parentPort } from 'node:worker_threads';

import { extractPage } from './core/preview/extract/extract-page.js';
import { MediaWork } from './core/preview/media/media-work.js';
import { convertOembed } from './core/preview/oembed/convert-oembed.js';
import { yieldToMainThread } from './core/base/runtime/yield-to-main.js';
import { serveCalls } from './core/base/worker/worker-thread.js';
import type { WorkerCalls } from './core/preview/preview-worker.js';

if (parentPort === null) throw new Error('this is the program of a worker thread');

yieldToMainThread();
const media = new MediaWork();

serveCalls<WorkerCalls>(parentPort, {
  inspect: async (options, body) => ({ ...(await media.inspect(body, options)), body }),
  render: ({ disk, job }, body) => media.render(disk ?? body, job),
  extractPage: ({ input, mode }, body) => extractPage({ ...input, body }, { mode }),
  convertOembed: async (context, body) => convertOembed(body, context),
  warmUp,
});

/** Reads a page and makes a thumbnail, so that the first preview finds everything loaded. */
async function warmUp(): Promise<void> {
  const body = Buffer.from(
    '<!doctype html><meta property="og:title" content="Warm"><title>Warm</title><p>Warm</p>',
  );
  const input = { body, contentType: 'text/html', url: 'https://warm.invalid/' };
  await extractPage(input, { mode: 'enhanced' });
  await media.thumbnailer.warmUp();
}
