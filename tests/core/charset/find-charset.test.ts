import { describe, expect, it } from 'vitest';
import { Breather } from '../../../src/core/charset/breather.js';
import { decodePieces } from '../../../src/core/charset/decode-pieces.js';
import { findCharset } from '../../../src/core/charset/find-charset.js';

async function decoded(
  body: Buffer,
  contentType: string | null = null,
  mode: 'standard' | 'enhanced' = 'standard',
): Promise<string | null> {
  const charset = await findCharset(body, { contentType, mode, breather: new Breather() });
  return charset === null ? null : [...decodePieces(body, charset)].join('');
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe.each(['standard', 'enhanced'] as const)('charset, %s (synapse 3.7)', (mode) => {
  it.each<[string, Buffer, string | null, string | null]>([
    ['C01 meta charset', latin1('<meta charset="iso-8859-1">\xe9'), null, '<meta charset="iso-8859-1">é'],
    [
      'C02 quoted header charset among parameters',
      latin1('\xe9'),
      'text/html; a=b; charset="ISO-8859-1"; c=d',
      'é',
    ],
    ['C03 utf-8 without declaration', Buffer.from('é'), null, 'é'],
    ['C04 windows-1252 as last resort, with euro and quotes', bytes('80 93 61 94'), null, '€“a”'],
    [
      'C05 declared windows-1252, with euro and quotes',
      bytes('80 93 61 94'),
      'text/html; charset=windows-1252',
      '€“a”',
    ],
    ['C06 an undefined byte without declaration', bytes('81'), null, null],
    [
      'C07 an unknown label is skipped',
      Buffer.from('<meta charset=nonsense>é'),
      null,
      '<meta charset=nonsense>é',
    ],
    ['C08 single quotes', latin1("<meta charset='koi8-r'>\xc1"), null, "<meta charset='koi8-r'>а"],
    [
      'C09a http-equiv koi8-r',
      latin1('<meta http-equiv=Content-Type content="text/html; charset=koi8-r">\xc1'),
      null,
      '<meta http-equiv=Content-Type content="text/html; charset=koi8-r">а',
    ],
    [
      'C09b Shift_JIS',
      Buffer.concat([latin1('<meta charset=Shift_JIS>'), bytes('93 fa 96 7b')]),
      null,
      '<meta charset=Shift_JIS>日本',
    ],
    [
      'C09c gb2312',
      Buffer.concat([latin1('<meta charset=gb2312>'), bytes('d6 d0 ce c4')]),
      null,
      '<meta charset=gb2312>中文',
    ],
    [
      'C10 XML declaration',
      latin1('<?xml version="1.0" encoding="iso-8859-2"?>\xb1'),
      null,
      '<?xml version="1.0" encoding="iso-8859-2"?>ą',
    ],
    ['C11 a UTF-8 mark, which is no text', bytes('ef bb bf 61'), null, 'a'],
    [
      'C12 UTF-16 with mark and header',
      Buffer.from('\ufeff<p>é', 'utf16le'),
      'text/html; charset=utf-16',
      '<p>é',
    ],
    ['C13 UTF-16 by its mark alone', Buffer.from('\ufeff<p>é', 'utf16le'), null, '<p>é'],
    [
      'C14 a UTF-16 label on plain bytes is not believed',
      Buffer.from('<meta charset=utf-16><p>é'),
      null,
      '<meta charset=utf-16><p>é',
    ],
    [
      'C15 meta before header',
      latin1('<meta charset=koi8-r>\xc1'),
      'text/html; charset=iso-8859-1',
      '<meta charset=koi8-r>а',
    ],
    [
      'C16 a label that does not decode is skipped',
      Buffer.concat([latin1('<meta charset=gbk>'), bytes('e9 20')]),
      null,
      '<meta charset=gbk>é ',
    ],
    [
      'C17 a commented declaration does not count',
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

describe('charset, enhanced', () => {
  it('lets valid UTF-8 beat a wrong single-byte label', async () => {
    const body = Buffer.from('<meta charset=iso-8859-1>größer');

    expect(await decoded(body, null, 'enhanced')).toBe('<meta charset=iso-8859-1>größer');
  });

  it('lets valid UTF-8 beat a wrong East Asian label', async () => {
    const body = Buffer.from('<meta charset=gb2312>中文');

    expect(await decoded(body, null, 'enhanced')).toBe('<meta charset=gb2312>中文');
  });

  it('forgives a few broken bytes of a UTF-8 page', async () => {
    const body = Buffer.concat([
      Buffer.from('<meta charset=utf-8>größer, weiß, süß, schön, Äpfel, Öl, über'),
      bytes('c3'),
    ]);

    expect(await decoded(body, null, 'enhanced')).toMatch(/größer.*über\ufffd$/);
  });

  it('reads a declaration beyond the first 1,024 bytes', async () => {
    const body = latin1(`${' '.repeat(2_000)}<meta charset=koi8-r>\xc1`);

    expect(await decoded(body, null, 'enhanced')).toMatch(/а$/);
  });

  it('recognises UTF-16 without a mark', async () => {
    expect(await decoded(Buffer.from('<p>é', 'utf16le'), null, 'enhanced')).toBe('<p>é');
  });
});
