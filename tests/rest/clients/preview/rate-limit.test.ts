import { beforeAll, expect, it } from 'vitest';

import { healthLine } from '../../../support/health-line.js';
import { createToken, preview } from '../../../support/clients/preview-client.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const RATE = { rate_limit: { burst: 2, interval: '10s' } };

const kit = setUp(() => startPreviewKit({ settings: { previews: RATE } }));
beforeAll(async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) kit.serve(`/${name}`, tagged({ 'og:title': name }));
});

it('refuses a user beyond the burst with 429, Retry-After and retry_after_ms, and nobody else', async () => {
  expect((await kit.preview('/a')).status).toBe(200);
  expect((await kit.preview('/b')).status).toBe(200);

  const refused = await kit.preview('/c');
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    errcode: 'M_LIMIT_EXCEEDED',
    error: 'Too many previews',
    retry_after_ms: 10_000,
  });
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  expect(kit.hits('/c')).toEqual([]);
  expect(await healthLine(kit.service, 'limits')).toMatchObject({
    message: expect.stringContaining('rate of previews') as string,
  });

  const other = await createToken(kit.service, '@bob:notary.test');
  expect((await preview(kit.service, other, kit.url('/c'))).status).toBe(200);
});

it('answers from memory and from the store use nothing up', async () => {
  expect((await kit.preview('/a')).status).toBe(200);
  expect((await kit.preview('/c')).body['og:title']).toBe('c');
  await kit.restart();
  // A fresh limit: two answers from the store must leave both of its previews.
  for (const path of ['/a', '/b']) expect((await kit.preview(path)).status).toBe(200);
  expect((await kit.preview('/d')).status).toBe(200);
  expect((await kit.preview('/e')).status).toBe(200);
  expect((await kit.preview('/f')).status).toBe(429);
});

it('who joins a preview that somebody else may not have gets their own', async () => {
  kit.serve('/h', tagged({ 'og:title': 'h' }));
  const bob = await createToken(kit.service, '@bob2:notary.test');
  const [mine, his] = await Promise.all([kit.preview('/h'), preview(kit.service, bob, kit.url('/h'))]);
  // Whoever comes first begins it; only one of the two may.
  expect([200, 429]).toContain(mine.status);
  expect([his.status, his.body['og:title'], kit.hits('/h').length]).toEqual([200, 'h', 1]);
});
