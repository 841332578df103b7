import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  loadOembedProviders,
  OembedProviders,
  readProviderList,
  compileScheme,
} from '../../../../src/core/preview/oembed/oembed-providers.js';

let folder: string;
const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-oembed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function registryFile(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

function providersOf(...endpoints: object[]): OembedProviders {
  return new OembedProviders(readProviderList([{ endpoints }]).endpoints);
}

describe('provider patterns', () => {
  it.each([
    ['https://x.com/*/status/*', 'https://x.com/a/status/1', true],
    ['https://x.com/*/status/*', 'https://x.com/a/b/status/1?s=20#x', true],
    ['https://x.com/*/status/*', 'https://x.com/a/status/', false],
    ['https://x.com/*/status/*', 'http://x.com/a/status/1', false],
    ['https://*.x.com/*', 'https://m.x.com/a', true],
    ['https://*.x.com/*', 'https://x.com/a', false],
    ['https://*.x.com/*', 'https://evil.example/.x.com/a', false],
    ['https://*.x.com/*', 'https://evil.example?.x.com/a', false],
    ['https://x.com/watch?v=*', 'https://x.com/watch?v=1', true],
    ['https://x.com/[a]*', 'https://x.com/[a]b', true],
    ['https://x.com/[a]*', 'https://x.com/ab', false],
    ['https://x.com', 'https://x.com/', false],
  ])('%s on %s: %j', (pattern, url, matches) => {
    expect(compileScheme(pattern)?.(url)).toBe(matches);
  });

  it('take bounded time on hostile addresses', () => {
    const matches = compileScheme(`https://x.com/${'*a'.repeat(20)}b`);
    const started = performance.now();

    expect(matches?.(`https://x.com/${'a'.repeat(8000)}`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('request address', () => {
  it('asks the first endpoint that matches for JSON about the URL', () => {
    const providers = providersOf(
      { schemes: ['https://x.com/*'], url: 'https://one.example/oembed' },
      { schemes: ['https://x.com/*'], url: 'https://two.example/oembed' },
    );

    expect(providers.addressFor('https://x.com/a?b=c&d=é')).toBe(
      'https://one.example/oembed?url=https%3A%2F%2Fx.com%2Fa%3Fb%3Dc%26d%3D%C3%A9&format=json',
    );
    expect(providers.addressFor('https://y.com/a')).toBeNull();
  });

  it.each([
    [
      'https://o.example/oembed.{format}',
      'https://o.example/oembed.json?url=https%3A%2F%2Fx.com%2Fa&format=json',
    ],
    ['https://o.example/o?k=1', 'https://o.example/o?k=1&url=https%3A%2F%2Fx.com%2Fa&format=json'],
    ['https://o.example/o?format=json', 'https://o.example/o?format=json&url=https%3A%2F%2Fx.com%2Fa'],
  ])('of the endpoint %s', (url, address) => {
    expect(providersOf({ schemes: ['https://x.com/*'], url }).addressFor('https://x.com/a')).toBe(address);
  });

  it.each([{ url: 'https://o.example/o.xml' }, { url: 'https://o.example/o', formats: ['xml'] }])(
    'there is none for XML only: %j',
    (endpoint) => {
      expect(
        providersOf({ schemes: ['https://x.com/*'], ...endpoint }).addressFor('https://x.com/a'),
      ).toBeNull();
    },
  );
});

describe('configured providers', () => {
  it('come after the built-in ones, and unusable entries give one warning', async () => {
    const file = await registryFile(
      'odd.json',
      JSON.stringify([
        { endpoints: [{ url: 'https://a.example/o' }, { url: 'https://a.example/o', schemes: [] }] },
        { endpoints: [{ url: 'https://b.example/o', schemes: ['spotify:*', 'https://b.example/*'] }] },
        { endpoints: 'none' },
        null,
        { endpoints: [{ url: 'javascript:1', schemes: ['https://c.example/*'] }, 5] },
      ]),
    );
    lines.length = 0;

    const providers = await loadOembedProviders({ useDefaults: true, additionalFiles: [file, file], logger });

    expect(providers.addressFor('https://x.com/a/status/1')).toMatch(/^https:\/\/publish\.x\.com\/oembed\?/);
    expect(providers.addressFor('https://m.youtube.com/shorts/1')).toMatch(
      /^https:\/\/www\.youtube\.com\/oembed\?/,
    );
    expect(providers.addressFor('https://b.example/1')).toMatch(/^https:\/\/b\.example\/o\?/);
    expect(lines.map((line) => (JSON.parse(line) as { skipped: number }).skipped)).toEqual([12]);
  });

  it.each([
    ['no JSON', '{'],
    ['no list', '{}'],
  ])('stop the start when a file is %s, by its name', async (_what, text) => {
    const file = await registryFile('bad.json', text);

    await expect(loadOembedProviders({ useDefaults: true, additionalFiles: [file], logger })).rejects.toThrow(
      file,
    );
  });
});
