import { describe, expect, it } from 'vitest';

import { parseWellKnown } from '../../../../src/core/notary/federation/well-known.js';

const nameIn = (text: string): string => parseWellKnown(Buffer.from(text), 'm.server').text;

describe('a well-known document', () => {
  it('is read with an escaped member name, whatever came before', () => {
    expect(() => nameIn('{"w":0,"m.serve\\\\":"a.example"}')).toThrow('a document th');

    expect(nameIn('{"w":0,"m.serve\\u0072":"a.example"}')).toBe('a.example');
  });

  it('may hold other members of any kind', () => {
    expect(nameIn('{"a":1.5,"m.server":"a.example:8448","b":[{"c":1e400}]}')).toBe('a.example:8448');
  });

  it.each([
    ['two names', '{"m.server":"a.example","m.server":"b.example"}'],
    ['no name of its own', '{"__proto__":{"m.server":"a.example"}}'],
    ['a list', '["m.server"]'],
    ['bytes behind it', '{"m.server":"a.example"}x'],
    ['a name that is not text', '{"m.server":null}'],
  ])('with %s delegates nowhere', (_what, text) => {
    expect(() => nameIn(text)).toThrow(expect.objectContaining({ reason: 'bad_document' }) as Error);
  });
});
