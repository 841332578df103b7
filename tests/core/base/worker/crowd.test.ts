import { afterAll, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { PreviewWorker } from '../../../../src/core/preview/preview-worker.js';

const worker = new PreviewWorker({
  logger: createLogger({ level: 'silent' }),
});
afterAll(() => worker.close());

/** 4 MiB of tags whose values are as long as they are kept, and not of one byte a character. */
const value = `一${'c'.repeat(65_000)}`;
const tags = Array.from({ length: 64 }, (_, n) => `<meta property="og:x${n}" content="${value}">`).join('');
const body = Buffer.from(`<html><head><title>t</title>${tags}</head></html>`);

it('32 pages that take all the memory they can are all read, and a small one between them', async () => {
  const page = (bytes: Buffer) => ({ body: bytes, contentType: 'text/html', url: 'https://site.test/' });
  const read = (bytes: Buffer) => worker.extractPage(page(bytes), { mode: 'standard' });

  const crowd = Array.from({ length: 32 }, () => read(body));
  const small = read(Buffer.from('<title>small</title>'));

  expect((await small)?.openGraph.get('og:title')).toBe('small');
  for (const found of await Promise.all(crowd)) expect(found?.openGraph.get('og:title')).toBe('t');
});
