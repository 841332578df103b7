import { describe, expect, it } from 'vitest';

import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/config/kinds/units.js';

describe('durations', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    ['1500', 1500],
    ['500ms', 500],
    ['10s', 10_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['1y', 31_536_000_000],
  ])('%j is %d ms', (written, milliseconds) => {
    expect(parseDuration(written)).toBe(milliseconds);
  });

  it.each([-1, 1.5, Number.NaN, 1e300, '', '1.5s', '-1s', '1 s', '1S', 's', '1e3', '999999999999999y', '١s'])(
    '%j is none',
    (written) => {
      expect(parseDuration(written)).toBeNull();
    },
  );

  it.each([
    [0, '0ms'],
    [1500, '1500ms'],
    [90_000, '90s'],
    [86_400_000, '1d'],
    [604_800_000, '1w'],
  ])('%d ms is shown as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

describe('sizes', () => {
  it.each([
    [5, 5],
    ['20000', 20_000],
    ['512K', 524_288],
    ['10M', 10_485_760],
    ['1G', 1_073_741_824],
  ])('%j is %d bytes', (written, bytes) => {
    expect(parseSize(written)).toBe(bytes);
  });

  it.each([-1, 0.5, '10MB', '10m', '1T', '1.5M', ' 1M'])('%j is none', (written) => {
    expect(parseSize(written)).toBeNull();
  });

  it.each([
    [0, '0'],
    [1536, '1536'],
    [2048, '2K'],
    [10_485_760, '10M'],
  ])('%d bytes are shown as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});
