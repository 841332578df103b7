import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { beforeAll, describe, expect, it } from 'vitest';

import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';
import { slowness } from '../../../support/machine-speed.js';
import { HOSTILE_PAGES } from './hostile-pages.js';

const MAX_CPU_MS = 250;
const MAX_BLOCK_CPU_MS = 50;
const MAX_BYTES = 150_000_000;

/** The collector and the compiler work beside the thread and count as well; a page over its bound is so each time. */
const ATTEMPTS = { retry: 2 };

/** What the page before left behind is not to be collected at the cost of this one. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** CPU time, not interstitial time: neighbours on the machine must not fail a test. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function measured<T>(work: () => Promise<T>) {
  collectGarbage();
  let isRunning = true;
  let longestBlock = 0;
  let last = cpuMs();
  let peak = process.memoryUsage.rss();
  const before = peak;
  const start = last;
  const tick = (): void => {
    const now = cpuMs();
    longestBlock = Math.max(longestBlock, now - last);
    if (now - last > 2) peak = Math.max(peak, process.memoryUsage.rss());
    last = now;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  const result = await work();
  // What comes last is followed by no turn.
  longestBlock = Math.max(longestBlock, cpuMs() - last);
  isRunning = false;
  peak = Math.max(peak, process.memoryUsage.rss());
  return { result, cpu: cpuMs() - start, block: longestBlock, bytes: peak - before };
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

  it.each(Object.keys(HOSTILE_PAGES))('bounds time, memory and blocking: %s', ATTEMPTS, async (name) => {
    const page = HOSTILE_PAGES[name]!();
    const input = {
      body: Buffer.from(page),
      contentType: 'text/html',
      url: 'https://site.example/',
    };

    const { cpu, block, bytes } = await measured(() => extractPage(input, { mode }));

    const isWithin = cpu < MAX_CPU_MS && block < MAX_BLOCK_CPU_MS;
    const times = isWithin ? 1 : slowness();
    expect({ cpu, times, isFast: cpu < times * MAX_CPU_MS }).toMatchObject({ isFast: true });
    expect({ block, times, isShort: block < times * MAX_BLOCK_CPU_MS }).toMatchObject({ isShort: true });
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
