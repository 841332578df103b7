import { describe, expect, it } from 'vitest';
import { decodeChunks, findCharset } from '../../../../src/core/preview/charset/find-charset.js';

async function decoded(
  body: Buffer,
  contentType: string | null = null,
  mode: 'standard' | 'enhanced' = 'standard',
): Promise<string | null> {
  const charset = findCharset(body, { contentType, mode });
  return charset === null ? null : [...decodeChunks(body, charset)].join('');
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe.each(['standard', 'enhanced'] as const)('charset, %s (synapse 3.7)', (mode) => {
  it.each<[string, Buffer, string | null, string | null]>([
    ['meta charset', latin1('<meta charset="iso-8859-1">\xe9'), null, '<meta charset="iso-8859-1">é'],
    [
      'quoted header charset among parameters',
      latin1('\xe9'),
      'text/html; a=b; charset="ISO-8859-1"; c=d',
      'é',
    ],
    ['utf-8 without declaration', Buffer.from('é'), null, 'é'],
    ['windows-1252 as last resort, with euro and quotes', bytes('80 93 61 94'), null, '€“a”'],
    [
      'an unknown label is skipped',
      Buffer.from('<meta charset=nonsense>é'),
      null,
      '<meta charset=nonsense>é',
    ],
    [
      'http-equiv koi8-r',
      latin1('<meta http-equiv=Content-Type content="text/html; charset=koi8-r">\xc1'),
      null,
      '<meta http-equiv=Content-Type content="text/html; charset=koi8-r">а',
    ],
    [
      'Shift_JIS',
      Buffer.concat([latin1('<meta charset=Shift_JIS>'), bytes('93 fa 96 7b')]),
      null,
      '<meta charset=Shift_JIS>日本',
    ],
    [
      'XML declaration',
      latin1('<?xml version="1.0" encoding="iso-8859-2"?>\xb1'),
      null,
      '<?xml version="1.0" encoding="iso-8859-2"?>ą',
    ],
    ['a UTF-8 mark, which is not text', bytes('ef bb bf 61'), null, 'a'],
    [
      'UTF-16 with mark and header',
      Buffer.from('\ufeff<p>é', 'utf16le'),
      'text/html; charset=utf-16',
      '<p>é',
    ],
    [
      'a UTF-16 label on plain bytes is not believed',
      Buffer.from('<meta charset=utf-16><p>é'),
      null,
      '<meta charset=utf-16><p>é',
    ],
    [
      'UTF-8 under the label of another encoding',
      Buffer.from('<meta charset=iso-8859-1>größer'),
      null,
      '<meta charset=iso-8859-1>größer',
    ],
    [
      'a label that does not decode is skipped',
      Buffer.concat([latin1('<meta charset=gbk>'), bytes('e9 20')]),
      null,
      '<meta charset=gbk>é ',
    ],
    [
      'a commented declaration does not count',
      latin1('<!-- <meta charset=koi8-r> -->\xe9'),
      null,
      '<!-- <meta charset=koi8-r> -->é',
    ],
  ])('%s', async (_rule, body, contentType, expected) => {
    expect(await decoded(body, contentType, mode)).toBe(expected);
  });

  it('never splits a character between pieces', async () => {
    for (const unit of ['é', '漢', '😀']) {
      const text = `a${unit.repeat(20_000)}`;

      expect(await decoded(Buffer.from(text), null, mode)).toBe(text);
    }
  });
});

describe('charset, header and meta that disagree', () => {
  const body = latin1('<meta charset=koi8-r>\xc1');
  const header = 'text/html; charset=iso-8859-1';

  it('C15 the meta wins in `standard`, as in the reference', async () => {
    expect(await decoded(body, header, 'standard')).toBe('<meta charset=koi8-r>а');
  });

  it('the header wins in `enhanced`, as in browsers', async () => {
    expect(await decoded(body, header, 'enhanced')).toBe('<meta charset=koi8-r>Á');
  });

  it('a header that does not decode the page loses in both', async () => {
    const page = latin1('<meta charset=koi8-r>\xc1\xc2');
    for (const mode of ['standard', 'enhanced'] as const) {
      expect(await decoded(page, 'text/html; charset=utf-8', mode)).toBe('<meta charset=koi8-r>аб');
    }
  });
});

describe('charset, enhanced', () => {
  it('forgives a few broken bytes of a UTF-8 page', async () => {
    const body = Buffer.concat([
      Buffer.from('<meta charset=utf-8>größer, weiß, süß, schön, Äpfel, Öl, über'),
      bytes('c3'),
    ]);

    expect(await decoded(body, null, 'enhanced')).toMatch(/größer.*über\ufffd$/);
  });

  it.each([
    ['gbk', '公司新闻', 'b9abcbbed0c2cec5ce'],
    ['shift_jis', '日本語の頁', '93fa967b8cea82cc95c593'],
  ])('forgives a broken byte of a page in %s', async (label, text, hex) => {
    const body = Buffer.concat([latin1(`<meta charset=${label}><p>`), bytes(hex), latin1('</p>')]);
    const read = `<meta charset=${label}><p>${text}\ufffd</p>`;

    expect(await decoded(body, null, 'enhanced')).toBe(read);
    expect(await decoded(body, `text/html; charset=${label}`, 'enhanced')).toBe(read);
    expect(await decoded(body, null, 'standard')).not.toBe(read);
  });

  it.each(['<p>é', '\r\n<p>é'])('recognises UTF-16 without a mark: %j', async (text) => {
    expect(await decoded(Buffer.from(text, 'utf16le'), null, 'enhanced')).toBe(text);
  });

  it('forgives an odd byte of a page in UTF-16', async () => {
    const body = Buffer.concat([Buffer.from('\ufeff<p>plain', 'utf16le'), bytes('61')]);

    expect(await decoded(body, null, 'enhanced')).toBe('<p>plain\ufffd');
  });

  it('reads a label behind long scripts', async () => {
    const body = latin1(`<script>${'x'.repeat(20_000)}</script><meta charset=koi8-r>\xc1`);

    expect(await decoded(body, null, 'enhanced')).toMatch(/а$/);
  });

  it('takes UTF-8 with one character cut for what it is, whatever the header says', async () => {
    const body = Buffer.concat([
      Buffer.from('<p>größer, weiß, süß, schön, Äpfel, Öl, über, für'),
      bytes('c3'),
    ]);

    expect(await decoded(body, 'text/html; charset=iso-8859-1', 'enhanced')).toMatch(/größer.*für\ufffd$/);
  });
});
