import { describe, expect, it } from 'vitest';

import { parseDataUrl } from '../../../../src/core/preview/download/answer-body.js';
import { slowness } from '../../../support/machine-speed.js';
import { createTestDownloader, outcome } from './download-setup.js';

const MEGABYTE = 1024 * 1024;
const LONGEST_CPU_MS = 25;
const ROUNDS = 5;

describe('data URLs', () => {
  it.each([
    ['data:,', 'text/plain;charset=US-ASCII', ''],
    ['data:,a%20b%C3%A9%zz%', 'text/plain;charset=US-ASCII', 'a bé%zz%'],
    ['DATA:text/html,<p>ü', 'text/html', '<p>ü'],
    ['data:image/png;base64,aGk=', 'image/png', 'hi'],
    ['data:image/png;base64,aGk', 'image/png', 'hi'],
    ['data:;base64,a Gk\n=', 'text/plain;charset=US-ASCII', 'hi'],
    ['data:base64,aGk=', 'base64', 'aGk='],
    [' data:application/json;charset=utf-8,{"a":1,"b":2}', 'application/json;charset=utf-8', '{"a":1,"b":2}'],
  ])('%s', (url, contentType, text) => {
    expect(parseDataUrl(url)).toEqual({ contentType, body: Buffer.from(text) });
  });

  it.each([
    ['data:text/html', 'no comma'],
    ['data:;base64,a', 'bad base64'],
    ['data:;base64,a$b=', 'bad base64'],
    ['data:;base64,aGk%01', 'bad base64'],
    ['data:;base64,aGk===', 'bad base64'],
    [`data:${'x'.repeat(1001)},`, 'media type is too long'],
    [`data:,${'x'.repeat(2 * MEGABYTE)}`, 'too long'],
  ])('%.40s is refused: %s (SPEC §7)', async (url, text) => {
    expect(await outcome(createTestDownloader(), { url, allowDataUrls: true })).toMatchObject({
      status: 500,
      errcode: 'M_UNKNOWN',
      message: `Failed to parse data URL: ${text}`,
    });
  });

  it.each([
    ['base64,', 'AAAA'],
    ['base64,', 'A\nA '],
    ['base64,', '%41%41%41%41'],
    ['base64,', '    '],
    ['base64,', '===='],
    ['base64,', '%%%%'],
    [',', '%41%'],
  ])('of the largest size hold up nobody: %s%s…', (start, unit) => {
    const url = `data:;${start}${unit.repeat((2 * MEGABYTE - 20) / unit.length)}`;
    let least = Infinity;
    for (let round = 0; round < ROUNDS; round += 1)
      least = Math.min(
        least,
        cpuMs(() => void outcomeOf(url)),
      );

    expect(least).toBeLessThan(LONGEST_CPU_MS * slowness());
  });
});

/** Some are no base64; only the time counts. */
function outcomeOf(url: string): unknown {
  try {
    return parseDataUrl(url);
  } catch (error) {
    return error;
  }
}

/** Of this process, whatever others do. */
function cpuMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
