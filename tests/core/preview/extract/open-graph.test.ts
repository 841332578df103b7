import { describe, expect, it } from 'vitest';
import { pruneOpenGraph } from '../../../../src/core/preview/extract/values.js';

describe('pruneOpenGraph (SPEC §4.7.12)', () => {
  it('keeps a key of 50 and removes one of 51', () => {
    const { kept, dropped } = pruneOpenGraph(
      new Map([
        ['k'.repeat(50), 'a'],
        ['k'.repeat(51), 'b'],
      ]),
    );

    expect([...kept.values()]).toEqual(['a']);
    expect(dropped).toEqual(['k'.repeat(51)]);
  });

  it('counts code points: 1,000 emoji stay, 1,001 go', () => {
    const { kept } = pruneOpenGraph(
      new Map([
        ['og:a', '😀'.repeat(1_000)],
        ['og:b', '😀'.repeat(1_001)],
      ]),
    );

    expect([...kept.keys()]).toEqual(['og:a']);
  });

  it('keeps null and numbers', () => {
    const og = new Map<string, string | number | null>([
      ['og:title', null],
      ['og:image:width', 640],
    ]);

    expect(pruneOpenGraph(og).kept).toEqual(og);
  });

  it('keeps 200 properties', () => {
    const og = new Map(Array.from({ length: 201 }, (_, n): [string, string] => [`og:k${n}`, 'v']));

    const { kept, dropped } = pruneOpenGraph(og);

    expect(kept.size).toBe(200);
    expect(dropped).toEqual(['og:k200']);
  });

  it('keeps 64 kB', () => {
    const og = new Map(
      Array.from({ length: 100 }, (_, n): [string, string] => [`og:k${n}`, 'v'.repeat(1_000)]),
    );

    const { kept } = pruneOpenGraph(og);

    expect(JSON.stringify(Object.fromEntries(kept)).length).toBeLessThanOrEqual(65_536);
    expect(kept.size).toBeGreaterThan(60);
  });
});
