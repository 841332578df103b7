import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { page, redirect } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview-kit.js';
import { underAttack } from './strain.js';

/** Just below what an oEmbed answer may have. */
const BYTES = 1024 * 1024 - 1024;
const filled = (part: string): string => part.repeat(BYTES / part.length);
const html = (text: string): string => JSON.stringify({ type: 'rich', html: text.slice(0, BYTES) });
const names = Array.from({ length: 80_000 }, (_, at) => `"${at.toString(36)}":1`).join(',');

const PAGE = { 'og:title': 'Page', 'og:description': 'Text' };

let kit: PreviewKit;
beforeAll(async () => {
  kit = await startPreviewKit();
});
afterAll(() => kit.remove());

describe('an oEmbed answer that a page announces harms nobody with', () => {
  const CASES: [what: string, body: string, shown: Record<string, unknown>][] = [
    ['80,000 members', `{${names}}`, PAGE],
    ['one member again and again', `{${filled('"title":"first",')}"title":"last"}`, { 'og:title': 'last' }],
    ['lists within lists', `{"a":[${filled(`${'['.repeat(60)}${']'.repeat(60)},`)}1]}`, PAGE],
    ['a number of a million digits', `{"type":"video","width":${filled('9')}}`, { 'og:title': 'Page' }],
    ['a size that is none', '{"type":"video","width":-1,"height":1e308}', { 'og:type': 'video.other' }],
    ['a title of entities', `{"title":"${filled('&amp;')}"}`, {}],
    ['a title of escapes', `{"title":"${filled(String.raw`\u200b`)}"}`, {}],
    ['nested blocks', html(filled('<div><p>')), PAGE],
    ['scripts', html(filled('<script>alert(1)</script>')), PAGE],
    ['addresses for text', html(`<p>${filled('http://')}`), {}],
    ['an image at a name of 100,000 labels', `{"thumbnail_url":"http://${'ü.'.repeat(1e5)}/"}`, PAGE],
  ];

  it.each(CASES)('%s', async (what, body, shown) => {
    const at = CASES.findIndex(([each]) => each === what);
    kit.serve(`/oembed/${at}`, page(body, { type: 'application/json' }));
    const link = `<link rel="alternate" type="application/json+oembed" href="/oembed/${at}">`;

    const answer = await underAttack(
      kit,
      kit.serve(`/page/${at}`, `${link}${tagged({ 'og:title': 'Page' }, 'Text')}`),
    );

    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(shown)]);
    expect(JSON.stringify(answer.body)).not.toContain('alert');
    expect(answer.body).not.toHaveProperty(['og:video:width']);
  });

  it('redirects to each other', async () => {
    kit.serve('/here', redirect('/there'));
    kit.serve('/there', redirect('/here'));
    const link = '<link rel="alternate" type="application/json+oembed" href="/here">';

    const { status } = await underAttack(
      kit,
      kit.serve('/turning', `${link}${tagged({ 'og:title': 'Page' })}`),
    );

    expect([status, kit.hits('/here').length + kit.hits('/there').length]).toEqual([500, 21]);
  });
});
