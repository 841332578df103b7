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

it('nobody waits for it who has given it up', async () => {
  const ending = new AbortController();
  const warming = worker.warmUp(ending.signal);
  ending.abort(new Error('the service ends'));
  await expect(warming).rejects.toThrow('the service ends');
});
