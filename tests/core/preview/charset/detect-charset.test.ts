import { isAscii } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { extractPage, type PageExtract } from '../../../../src/core/preview/extract/extract-page.js';

/** Texts of our own with their bytes, as another program encoded them. */
interface Sample {
  encoding: string;
  title: string;
  heading: string;
  text: string;
  /** Base64 of the three. */
  bytes: [string, string, string];
}

const FILE = new URL('../../../vectors/charset/unlabelled.json', import.meta.url);
const samples = JSON.parse(readFileSync(FILE, 'utf8')) as Sample[];
const western = samples.filter(({ encoding }) => encoding === 'windows-1252');
const others = samples.filter(({ encoding }) => encoding !== 'windows-1252');

/** A page in which `$1` to `$3` stand for the title, heading and text of a sample. */
function bodyOf({ bytes }: Sample, html: string): Buffer {
  const parts = html.split(/(\$[1-3])/).map((part) => {
    const encoded = /^\$[1-3]$/.test(part) ? bytes[Number(part[1]) - 1] : undefined;
    return encoded === undefined ? Buffer.from(part) : Buffer.from(encoded, 'base64');
  });
  return Buffer.concat(parts);
}

async function read(body: Buffer, options: { contentType?: string; mode?: 'standard' } = {}) {
  const { contentType = 'text/html', mode = 'enhanced' } = options;
  return extractPage({ body, contentType, url: 'https://site.example/page' }, { mode });
}

const seen = (page: PageExtract | null) => ({
  charset: page?.charset,
  title: page?.openGraph.get('og:title'),
});

const ONLY_A_TITLE = '<title>$1</title>';
const SHORT = '<html><head><title>$1</title></head><body><h1>$2</h1></body></html>';
const IN_ATTRIBUTES = '<title>$1</title><meta name=description content="$3">';
const LONG =
  `<html><head><title>$1</title><script>${'var a = "b";'.repeat(4_000)}</script></head><body>` +
  `${'<a href="/about">About</a>'.repeat(500)}<h1>$2</h1>${'<p>$3</p>'.repeat(300)}</body></html>`;

describe('a page without a label that is not UTF-8', () => {
  describe.each(others.map((sample) => [sample.encoding, sample] as const))('in %s', (encoding, sample) => {
    it.each([
      ['a short one', SHORT],
      ['a long one, with scripts', LONG],
      ['one that claims to be UTF-8', `<meta charset=utf-8>${SHORT}`],
    ])('is read: %s', async (_what, html) => {
      expect(seen(await read(bodyOf(sample, html)))).toEqual({ charset: encoding, title: sample.title });
    });

    it('is read when it was cut in the middle of a character', async () => {
      const body = bodyOf(sample, `${SHORT}<p>$3`).subarray(0, -1);
      expect(seen(await read(body)).title).toBe(sample.title);
    });
  });

  it.each(western.map((sample) => [sample.title, sample] as const))(
    'stays what it was in windows-1252: %s',
    async (title, sample) => {
      for (const html of [ONLY_A_TITLE, SHORT, `<title>$1</title><p>$3`, IN_ATTRIBUTES, LONG]) {
        const body = bodyOf(sample, html);
        const charset = isAscii(body) ? 'utf-8' : 'windows-1252';
        expect(seen(await read(body))).toEqual({ charset, title });
      }
    },
  );

  it('is not detected by `standard`', async () => {
    const body = bodyOf(others[0]!, SHORT);
    expect((await read(body, { mode: 'standard' }))?.charset).toBe('windows-1252');
  });
});
