import { once } from 'node:events';
import { get, type ClientRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { PublishedLog } from '../../../src/core/notary/log/published-log.js';
import { startTestService } from '../../support/service.js';

const BUNDLE_BYTES = 16 * 1024 * 1024;
const WAITING = 8;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('bundles of the log are not in memory while their answers wait', async () => {
  const read: WeakRef<Buffer>[] = [];
  const own = Object.getOwnPropertyDescriptor(PublishedLog.prototype, 'readTile') ?? {};
  const readTile = async (): Promise<Buffer> => {
    const bundle = Buffer.alloc(BUNDLE_BYTES);
    read.push(new WeakRef(bundle));
    return bundle;
  };
  const service = await startTestService({ settings: { server: { max_unsent_size: '1M' } } });
  const asked: ClientRequest[] = [];
  const ask = (width: number): ClientRequest => {
    const request = get(`${service.url}/_svc/vidimus/v1/log/tile/entries/000.p/${width}`);
    asked.push(request.on('error', () => undefined));
    return request;
  };
  // A mock of vitest would keep what it has returned.
  Object.defineProperty(PublishedLog.prototype, 'readTile', { value: readTile, configurable: true });
  try {
    await once(ask(1), 'response');
    for (let at = 0; at < WAITING; at += 1) ask(2 + at);
    await expect.poll(() => read.length).toBe(WAITING + 2);
    await expect
      .poll(() => {
        collectGarbage();
        return read.filter((bundle) => bundle.deref() !== undefined).length;
      })
      .toBeLessThanOrEqual(2);
  } finally {
    Object.defineProperty(PublishedLog.prototype, 'readTile', own);
    for (const request of asked) request.destroy();
    await service.remove();
  }
});
