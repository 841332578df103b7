import { describe, expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from '../../../../src/core/notary/signing/signer.js';

describe('decoding', () => {
  test.each([
    ['', ''],
    ['Zg', 'f'],
    ['Zg==', 'f'],
    ['Zm8', 'fo'],
    ['Zm8=', 'fo'],
    ['Zm9v', 'foo'],
    ['Zm9vYmFy', 'foobar'],
  ])('%j is %j, padded or not', (text, bytes) => {
    expect(decodeBase64(text)?.toString()).toBe(bytes);
  });

  test('both alphabets are read, even mixed', () => {
    const bytes = 'fbfffe';
    for (const text of ['+//+', '-__-', '+_/-']) expect(decodeBase64(text)?.toString('hex')).toBe(bytes);
  });

  test('unused bits of the last character are ignored, as in Python', () => {
    expect(decodeBase64('Zh')?.toString()).toBe('f');
  });

  test.each([
    'Z',
    'Zm9vY',
    'Zg=',
    'Zm9=v',
    '=',
    '====',
    'Zm9v=',
    'Zg===',
    'Z g',
    'Zg\n',
    ' Zg',
    'Zm9v!!!',
    'Zé',
    'Zg\u0000',
  ])('%j is refused', (text) => {
    expect(decodeBase64(text)).toBeNull();
  });

  test('a megabyte of padding is refused in linear time', () => {
    expect(decodeBase64('='.repeat(1_000_000))).toBeNull();
  });
});

test('every length is encoded unpadded and reads back', () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Buffer.alloc(length, 0xfb);
    const text = encodeBase64(bytes);
    expect(text).toMatch(/^[A-Za-z0-9+/]*$/);
    expect(decodeBase64(text)).toEqual(bytes);
  }
});
