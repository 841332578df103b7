import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { onlyEnhanced } from '../../../support/extraction.js';
import { page, redirect } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const kit = setUp(() =>
  startPreviewKit({
    settings: { url_preview_url_blacklist: [{ path: '/refused*' }] },
  }),
);

beforeAll(async () => {
  kit.serve('/end', tagged({ 'og:title': 'The end' }));
});

const leading = (content: string, body = 'Please wait …'): string =>
  `<html><head><title>Moved</title><meta http-equiv="refresh" content="${content}"></head><body>${body}</body></html>`;
const LONG_TEXT = `<p>${'The council has decided to build a bridge. '.repeat(20)}</p>`;

async function titleOf(path: string, html: string): Promise<unknown> {
  return (await kit.preview(kit.serve(path, html))).body['og:title'];
}

describe('SPEC §4.7.14: meta refresh', () => {
  it.each([
    ['at once', leading('0;url=/end')],
    ['without url=', leading('0, /end')],
    ['at once, from a page with text', leading('0;url=/end', LONG_TEXT)],
    ['in ten seconds', leading('10;url=/end')],
    [
      'for clients without scripts',
      '<head><noscript><META HTTP-EQUIV=Refresh CONTENT="0;URL=/end"></noscript><title>t.example</title></head>',
    ],
  ])('%s is followed', onlyEnhanced(), async (name, html) => {
    expect(await titleOf(`/from/${name.replaceAll(/\W/g, '')}`, html)).toBe('The end');
  });

  it.each([
    ['after more than ten seconds', leading('11;url=/end')],
    ['after a while, from a page with text', leading('5;url=/end', LONG_TEXT)],
    ['to itself', leading('0')],
    ['to a script', leading('0;url=javascript:x()')],
    [
      'for clients without scripts, from a page with a title',
      '<title>Moved</title><noscript><meta http-equiv=refresh content="0;url=/end"></noscript>',
    ],
    [
      'for clients without scripts, from a page with a tag',
      `${tagged({ 'og:title': 'Moved' })}<noscript><meta http-equiv=refresh content="0;url=/end"></noscript>`,
    ],
  ])('%s is not', async (name, html) => {
    expect(await titleOf(`/stays/${name.replaceAll(/\W/g, '')}`, html)).toBe('Moved');
  });

  it('to an image is followed', onlyEnhanced(), async () => {
    kit.serve('/dot.png', page(await sampleImage(100, 50).png().toBuffer(), { type: 'image/png' }));

    const { body } = await kit.preview(kit.serve('/from/image', leading('0;url=/dot.png')));

    expect(body['og:image:width']).toBe(100);
  });

  it('is followed three times, and what comes then is the page', onlyEnhanced(), async () => {
    for (const at of [1, 2, 3, 4]) {
      kit.serve(
        `/chain/${at}`,
        `<title>${at}</title><meta http-equiv=refresh content="0;url=/chain/${at + 1}">`,
      );
    }

    expect((await kit.preview('/chain/1')).body['og:title']).toBe('4');
    expect(kit.hits('/chain/')).toEqual(['/chain/1', '/chain/2', '/chain/3', '/chain/4']);
  });

  it('ends where it has been before', onlyEnhanced(), async () => {
    kit.serve('/ring/1', '<title>1</title><meta http-equiv=refresh content="0;url=/ring/2">');
    kit.serve('/ring/2', '<title>2</title><meta http-equiv=refresh content="0;url=/ring/1#again">');

    expect((await kit.preview('/ring/1')).body['og:title']).toBe('2');
    expect(kit.hits('/ring/')).toEqual(['/ring/1', '/ring/2']);
  });

  it.each([
    ['a rule refuses', '/refused/x'],
    ['the address policy refuses', 'http://10.0.0.1/'],
    ['is not there', '/gone'],
    ['is not there behind a redirect', '/to-gone'],
    ['is no page', '/data'],
    ['is an obstacle', '/wall'],
  ])('to what %s leaves the page as it is', async (_what, target) => {
    kit.serve('/to-gone', redirect('/gone'));
    kit.serve('/data', page('{}', { type: 'application/json' }));
    kit.serve('/wall', '<title>Just a moment...</title>');
    const to = (how: string): string => `/to/${how}/${encodeURIComponent(target)}`;
    kit.serve(to('header'), (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', refresh: `0;url=${target}` });
      response.end(`<title>Moved</title>${LONG_TEXT}`);
    });
    kit.serve(to('meta'), leading(`0;url=${target}`));

    expect((await kit.preview(to('header'))).body['og:title']).toBe('Moved');
    expect((await kit.preview(to('meta'))).body['og:title']).toBe('Moved');
  });
});
