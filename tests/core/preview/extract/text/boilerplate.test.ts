import { describe, expect, it } from 'vitest';

import { isBoilerplate } from '../../../../../src/core/preview/extract/text/boilerplate.js';
import * as cookies from '../../../../../src/core/preview/extract/vocabulary/cookie-notices.js';
import * as notices from '../../../../../src/core/preview/extract/vocabulary/site-notices.js';

const { COOKIE_FOODS, PRIVACY_TITLES, ...about } = { ...cookies, ...notices };
const texts = Object.values(about).flatMap(({ words }) => Object.values(words));

describe('what sites write on all pages', () => {
  it('is told by the case of each word', () => {
    expect(texts.filter((text) => !isBoilerplate(text, 'A title'))).toEqual([]);
  });

  it('is text on a page on privacy, unless it is about browsers, visitors or rights', () => {
    for (const title of Object.values(PRIVACY_TITLES.words)) {
      expect(isBoilerplate('This website uses cookies.', title)).toBe(false);
      expect(isBoilerplate('You are using an outdated browser.', title)).toBe(true);
    }
  });

  it('is not told of cookies that are eaten', () => {
    expect(Object.values(COOKIE_FOODS.words).filter((text) => isBoilerplate(text, null))).toEqual([]);
  });
});
