import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { beforeAll, describe, expect, it } from 'vitest';

import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';
import { slowness } from '../../../support/machine-speed.js';
import { HOSTILE_PAGES } from './hostile-pages.js';

const MAX_CPU_MS = 500;
const MAX_BYTES = 60_000_000;

/** The compiler works beside the thread and counts as well; a page over its bound is so each time. */
const ATTEMPTS = { retry: 2 };

/** What the page before left behind is not to be collected at the cost of this one. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** CPU time, not wall time: neighbours on the machine must not fail a test. */
async function measured(work: () => Promise<unknown>) {
  collectGarbage();
  const before = process.memoryUsage.rss();
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return { cpu: (user + system) / 1_000, bytes: process.memoryUsage.rss() - before };
}

/** A page nobody would call hostile, so that no bound is spent on compiling the code under test. */
const ORDINARY = '<p class=a id=b>some <b>text</b> &amp; more</p><img src=a.png>'.repeat(2_000);

describe.each(['standard', 'enhanced'] as const)('hostile pages, %s', (mode) => {
  beforeAll(async () => {
    const input = {
      body: Buffer.from(ORDINARY),
      contentType: null,
      url: 'https://site.example/',
    };
    await extractPage(input, { mode });
    // The library that detects encodings is loaded once.
    await extractPage({ ...input, body: Buffer.from('cfeee3eee4e0', 'hex') }, { mode });
  });

  it.each(Object.keys(HOSTILE_PAGES))('bounds time and memory: %s', ATTEMPTS, async (name) => {
    const page = HOSTILE_PAGES[name]!();
    const input = {
      body: Buffer.from(page),
      contentType: 'text/html',
      url: 'https://site.example/',
    };

    const { cpu, bytes } = await measured(() => extractPage(input, { mode }));

    const times = cpu < MAX_CPU_MS ? 1 : slowness();
    expect({ cpu, times, isFast: cpu < times * MAX_CPU_MS }).toMatchObject({ isFast: true });
    expect({ bytes, isSmall: bytes < MAX_BYTES }).toMatchObject({ isSmall: true });
  });
});

describe('hostile names', () => {
  it('pollutes nothing and keeps the key', async () => {
    const html =
      '<meta property="og:title" content=t><meta property="og:__proto__" content=x><meta property="og:constructor" content=y>';
    const input = { body: Buffer.from(html), contentType: null, url: 'https://site.example/' };

    const page = await extractPage(input, { mode: 'enhanced' });

    expect(page?.openGraph.get('og:__proto__')).toBe('x');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
