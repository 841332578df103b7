import { afterEach, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { PreviewWorker } from '../../../../src/core/preview/preview-worker.js';

const create = () => new PreviewWorker({ logger: createLogger({ level: 'silent' }) });
let worker = create();
afterEach(async () => {
  await worker.close();
  worker = create();
});

it('the second thread loads what previews need before there is one', async () => {
  await expect(worker.warmUp(new AbortController().signal)).resolves.toBeUndefined();
});

const URLS = { url: 'https://site.test/', baseUrl: 'https://site.test/' };

it.each<[what: string, work: (signal: AbortSignal) => Promise<unknown>]>([
  ['warming up', (signal) => worker.warmUp(signal)],
  [
    'an oEmbed answer',
    (signal) =>
      worker.convertOembed(Buffer.from('{"version":"1.0"}'), {
        ...URLS,
        extraction: 'enhanced',
        client: 'user:@a:b',
        signal,
      }),
  ],
])('nobody waits for %s who has given it up', async (_what, work) => {
  const ending = new AbortController();
  const working = work(ending.signal);
  ending.abort(new Error('the service ends'));
  await expect(working).rejects.toThrow('the service ends');
});
