import { afterAll, beforeAll, expect, it } from 'vitest';

import { fillStore, makeRoom } from '../support/store/full-store.js';
import { startPreviewKit, tagged, type PreviewKit } from './clients/preview/preview-kit.js';

/** Nothing listens at the first one; the others are no addresses of pages. */
const ANSWERED_WITH_500 = ['http://site.test:1/', 'ftp://site.test/', 'data:text/plain,x'];
const MOST_TRIES = 60;

let kit: PreviewKit;
beforeAll(async () => {
  kit = await startPreviewKit();
});
afterAll(() => kit.remove());

async function counted(): Promise<number> {
  const text = await (await fetch(`${kit.service.url}/metrics`)).text();
  return Number(/^vidimus_internal_errors_total (\d+)$/m.exec(text)?.[1]);
}

it('what sites and clients do is counted as no error of ours, though it is answered with 500; a full disk is', async () => {
  const before = await counted();
  const answers = await Promise.all(ANSWERED_WITH_500.map((target) => kit.preview(target)));
  const afterSite = await counted();
  const { database } = kit.service.context.parts;
  await fillStore(database);
  let tried = 0;
  const ask = () => kit.preview(kit.serve(`/${tried}/${'x'.repeat(1500)}`, tagged({ 'og:title': 'T' })));
  while ((await ask()).status !== 500 && tried < MOST_TRIES) tried += 1;
  await makeRoom(database);

  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect({ before, afterSite, afterFullDisk: await counted() }).toEqual({
    before: 0,
    afterSite: 0,
    afterFullDisk: 1,
  });
});
