import { describe, expect, it } from 'vitest';

import { tierOf } from '../../../../../src/core/preview/extract/text/content-tier.js';
import * as paths from '../../../../../src/core/preview/extract/vocabulary/text-regions.js';

const { BESIDE_BOXES, BESIDE_NAMES, ...consent } = paths;
const casesOf = (...lists: readonly { words: Readonly<Record<string, string>> }[]): string[] =>
  lists.flatMap(({ words }) => Object.values(words));

describe('a box whose class name tells what it is', () => {
  it.each([
    ['of consent is at the margin', 2, casesOf(...Object.values(consent))],
    ['of something beside the text is beside it', 1, casesOf(BESIDE_BOXES, BESIDE_NAMES)],
    [
      'of anything else is text',
      0,
      ['has-cookie-banner', 'cookie-bar-visible', 'cookie-recipe', 'hidden-gems', 'newsletters'],
    ],
  ])('%s', (_what, tier, names) => {
    const wrong = names.filter((name) => tierOf('div', { class: name }, false) !== tier);
    expect(wrong).toEqual([]);
  });
});
