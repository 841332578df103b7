import { describe, expect, it } from 'vitest';

import { sniffImageType } from '../../../../src/core/preview/media/image/image-type.js';
import { sampleImage, tinyPng } from './sample-images.js';

const svg = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('the type of an image', () => {
  it.each(['jpeg', 'png', 'gif', 'webp', 'avif', 'tiff'] as const)(
    '%s is told from its bytes',
    async (format) => {
      expect(sniffImageType(await sampleImage(8, 8).toFormat(format).toBuffer())).toBe(`image/${format}`);
    },
  );

  it.each([
    ['plain', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['after BOM and declaration', '\uFEFF<?xml version="1.0"?>\n<svg>'],
    ['after a comment', '<!-- <html> -->\n<svg:svg width="1">'],
    ['after a document type with entities', '<!DOCTYPE svg [<!ENTITY a "b>">]><svg>'],
  ])('svg is told %s', (_name, text) => {
    expect(sniffImageType(svg(text))).toBe('image/svg+xml');
  });

  it.each([
    ['a page that contains svg', '<!DOCTYPE html><html><svg>'],
    ['an endless comment', `<!-- ${'x'.repeat(5000)}`],
    ['text', 'svg'],
    ['the first half of a signature', '\x89PNG\r\n'],
    ['nothing', ''],
  ])('%s is none', (_name, text) => {
    expect(sniffImageType(Buffer.from(text, 'latin1'))).toBeNull();
  });

  it('a polyglot is what its first bytes are', () => {
    expect(sniffImageType(Buffer.concat([tinyPng(1, 1), Buffer.from('<svg><script/></svg>')]))).toBe(
      'image/png',
    );
  });
});
