import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { temporaryFolder } from '../../../cli/vidimus.js';
import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { onlyEnhanced } from '../../../support/extraction.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

let kit: PreviewKit;
const folder = setUp(temporaryFolder);

const CHALLENGE = '<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b"></script>';
const SAYS = { type: 'video', title: 'The film', provider_name: 'Films', thumbnail_url: '/still.png' };

const answer = (document: unknown) => page(JSON.stringify(document), { type: 'application/json' });

beforeAll(async () => {
  const oembedRegistryFile = join(folder.path, 'registry.json');
  kit = await startPreviewKit({ oembedRegistryFile });
  const endpoint = (schemes: string[], path: string) => ({
    schemes: schemes.map((path) => kit.url(path)),
    url: kit.url(path),
  });
  const endpoints = [
    endpoint(['/films/*'], '/oembed'),
    endpoint(['/broken/*'], '/oembed-broken'),
    endpoint(['/untitled/*'], '/oembed-untitled'),
    endpoint(['/parked/*'], '/oembed-parked'),
    endpoint(['/sold/*'], '/oembed-sold'),
    endpoint(['/other-json/*'], '/oembed-other-json'),
    endpoint(['/unnamed/*'], '/oembed-unnamed'),
  ];
  writeFileSync(oembedRegistryFile, JSON.stringify([{ provider_name: 'Films', endpoints }]));
  kit.serve('/still.png', page(await sampleImage(100, 50).png().toBuffer(), { type: 'image/png' }));
  kit.serve('/oembed', answer(SAYS));
  kit.serve('/oembed-untitled', answer({ type: 'rich', provider_name: 'Films', html: '<iframe src=/x>' }));
  kit.serve('/oembed-broken', page('x', { status: 500 }));
  kit.serve('/oembed-sold', page('<title>This domain is for sale</title><p>Buy it now.</p>'));
  kit.serve('/oembed-other-json', answer(['nothing here']));
  kit.serve(
    '/oembed-unnamed',
    answer({ type: 'rich', provider_name: 'Films', author_name: '', html: '<p>' }),
  );
});
afterAll(() => kit.remove());

describe('the registry of oEmbed providers', () => {
  it.each([
    ['a challenge page', page(CHALLENGE)],
    ['a page that says nothing', page('<div id="app"></div>')],
    ['a page without a tag', page('<title>Films</title><p>About us. Terms. © 2026</p><img src=/logo.png>')],
    ['a refusal with 403', page('x', { status: 403 })],
  ])('is asked after %s, and what it says becomes the preview', onlyEnhanced(), async (name, first) => {
    const path = `/films/${name.replaceAll(' ', '-')}`;

    const { status, body } = await kit.preview(kit.serve(path, first));

    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        'og:title': 'The film',
        'og:site_name': 'Films',
        'og:image:width': 100,
        'og:url': kit.url(path),
      },
    });
  });

  it('is left alone by a page that says something', async () => {
    const before = kit.hits('/oembed').length;

    const { body } = await kit.preview(kit.serve('/films/fine', tagged({ 'og:title': 'Its own' })));

    expect(body['og:title']).toBe('Its own');
    expect(kit.hits('/oembed')).toHaveLength(before);
  });

  it.each([
    ['title either', '/untitled/1'],
    ['title and an empty author', '/unnamed/1'],
  ])('changes nothing with an answer that has no %s', async (_, path) => {
    const { body } = await kit.preview(kit.serve(path, '<title>The film</title><p>Its plot.</p>'));

    expect(body).toMatchObject({ 'og:title': 'The film', 'og:description': 'Its plot.' });
  });

  it.each(['/sold/1', '/other-json/1'])(
    'does not turn a refusal into a page of its own: %s',
    async (path) => {
      const { status, body } = await kit.preview(kit.serve(path, page('x', { status: 403 })));

      expect([status, body['error']]).toEqual([502, 'Got error 403']);
    },
  );
});
