import { beforeAll, describe, expect, it } from 'vitest';

import { HOSTILE_PAGES } from '../../../../core/preview/extract/hostile-pages.js';
import { manyFrames, sampleImage, textBomb, tinyPng } from '../../../../core/preview/media/sample-images.js';
import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from '../preview-kit.js';
import { strained, underAttack, WORST_QUERY_MS } from './strain.js';
import { setUp } from '../../../../support/set-up.js';

const kit = setUp(() => startPreviewKit({ settings: { max_spider_size: '11M' } }));
beforeAll(async () => {
  const small = await sampleImage(20, 20).png().toBuffer();
  kit.serve('/small.png', page(small, { type: 'image/png' }));
  await kit.preview(kit.serve('/warm', tagged({ 'og:image': '/small.png' })));
});

const BOMB_SVG = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 9 },
  (_v, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`,
).join(
  '',
)}<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg">&j;&x;<image href="SITE/internal"/></svg>`;

describe('an image that', () => {
  const CASES: [name: string, type: string, bytes: () => Buffer | string, size: [number, number] | null][] = [
    ['claims 30,000 pixels square in a few kB', 'image/png', () => tinyPng(30_000, 30_000), null],
    ['claims 60,000 by 1,000', 'image/png', () => tinyPng(60_000, 1_000), null],
    ['is a GIF of 200,000 frames', 'image/gif', () => manyFrames(200_000), [1, 1]],
    ['hides 50 MB in a text chunk', 'image/png', () => tinyPng(64, 64, [textBomb(50_000_000)]), [64, 64]],
    ['is an SVG full of entities', 'image/svg+xml', () => BOMB_SVG.replace('SITE', kit.url('')), null],
    ['is a page labelled as image', 'image/png', () => '<script>alert(1)</script>', null],
    ['is a PDF labelled as image', 'image/jpeg', () => '%PDF-1.7 ...', null],
    ['is a TIFF', 'image/tiff', () => Buffer.from('49492a0008000000', 'hex'), null],
  ];

  it.each(CASES)('%s, as target and in a page, harms nobody', async (name, type, bytes, size) => {
    const path = `/picture/${CASES.findIndex((each) => each[0] === name)}`;
    const body = bytes();
    kit.serve(path, page(body, { type }));
    const direct = await underAttack(kit, path);
    expect(direct.status).toBe(200);
    expect(direct.body).toMatchObject({ 'og:image:type': type, 'svc:image:size': body.length });
    const inPage = await underAttack(
      kit,
      kit.serve(path.replace('picture', 'page'), tagged({ 'og:title': 'T', 'og:image': path })),
    );
    expect(inPage.status).toBe(200);
    expect(inPage.body['og:title']).toBe('T');
    const dimensions = (values: Record<string, unknown>) =>
      'og:image:width' in values ? [values['og:image:width'], values['og:image:height']] : null;
    expect([dimensions(direct.body), dimensions(inPage.body)]).toEqual([size, size]);
    expect(kit.hits('/internal')).toEqual([]);
  });

  it('is one of 16 such at once leaves key queries fast', async () => {
    const bombs = Array.from({ length: 16 }, (_v, n) =>
      kit.serve(`/many/${n}`, page(tinyPng(5_000, 5_000, [textBomb(20_000_000)]), { type: 'image/png' })),
    );
    const { answer, strain } = await strained(kit, () => Promise.all(bombs.map((url) => kit.preview(url))));
    expect(answer.map(({ status }) => status)).toEqual(bombs.map(() => 200));
    expect(strain.worstQueryMs).toBeLessThan(WORST_QUERY_MS);
  });
});

describe('a page of up to 10 MiB, with key queries fast all the while:', () => {
  const NAMES = [
    '10 MiB of tables',
    '10^6 attributes on one tag',
    '500,000 differing elements',
    '10 MiB of named entities',
    '10 MiB of srcset',
    '10 MiB of nested microdata',
  ];
  it.each(NAMES)('%s', async (name) => {
    const make = HOSTILE_PAGES[name]!;
    const url = kit.serve(`/hostile/${NAMES.indexOf(name)}`, page(make(), { type: 'text/html' }));
    const { status } = await underAttack(kit, url, { withinMs: 10_000 });
    expect(status).toBe(200);
  });

  it('7,500 tags give at most 200 properties and 64 kB', async () => {
    const html = HOSTILE_PAGES['7,500 meta tags']!();
    const { body, text } = await underAttack(kit, kit.serve('/flood', page(html)));
    expect(Object.keys(body).length).toBeLessThanOrEqual(200);
    expect(text.length).toBeLessThanOrEqual(65_536);
  });
});
