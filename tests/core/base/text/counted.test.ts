import { describe, expect, it } from 'vitest';

import { counted } from '../../../../src/core/base/text/counted.js';

describe('a number with its noun', () => {
  it('has the noun in the singular for one alone', () => {
    expect([0, 1, 2].map((count) => counted(count, 'stored file'))).toEqual([
      '0 stored files',
      '1 stored file',
      '2 stored files',
    ]);
  });
});
