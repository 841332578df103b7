import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { generatedFiles } from '../../scripts/docs/generated.js';
import { leavesOf } from '../../scripts/docs/cli-page.js';
import { buildSite } from '../../scripts/docs/site/build-site.js';
import { SETTING_NAMES } from '../../src/config/setting-tree.js';
import { createProgram } from '../../src/cli/program.js';
import { temporaryFolder } from '../cli/vidimus.js';
import { ROOT, readText } from './repository-files.js';

it.each([...generatedFiles()])('%s is as the program has it (npm run docs)', (name, text) => {
  expect(readText(name)).toBe(text);
});

it('names every setting and every command', () => {
  const [settings, commands] = [readText('docs/reference/configuration.md'), readText('docs/reference/cli.md')];
  const names = leavesOf(createProgram(), []).map(({ path: words }) => `## vidimus ${words.join(' ')}\n`);

  expect(SETTING_NAMES.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
  expect([names.length > 20, names.filter((name) => !commands.includes(name))]).toEqual([true, []]);
});

describe('the built pages', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let pages: Map<string, string>;
  let files: Set<string>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const site = path.join(folder.path, 'site');
    await buildSite(ROOT, site);
    const names = readdirSync(site, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(site, path.join(entry.parentPath, entry.name)));
    files = new Set(names);
    const read = (name: string): [string, string] => [name, readFileSync(path.join(site, name), 'utf8')];
    pages = new Map(names.filter((name) => name.endsWith('.html')).map(read));
  });
  afterAll(() => folder.remove());

  /** Values of attributes in tags; code blocks hold none. */
  const attributes = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);

  it('are there for every text, and the index comes first', () => {
    expect(pages.size).toBeGreaterThan(30);
    expect([...pages.keys()]).toEqual(expect.arrayContaining(['index.html', 'about.html', 'API.html', 'reference/graphql.html', 'decisions/keys.html']));
  });

  it('load nothing from another host', () => {
    const loaded = [...pages].flatMap(([name, html]) =>
      attributes(html, /<(?:script|link|img|source|iframe)\b[^>]*\b(?:src|srcset|href)="([^"]*)"/g).map(
        (address) => `${name}: ${address}`,
      ),
    );
    const textOf = (name: string) => readFileSync(path.join(folder.path, 'site', name), 'utf8');
    const reaching = ['site.css', 'search.js', 'minisearch.js'].filter((name) =>
      /@import|url\(|(?:window|globalThis|await) ?\.?fetch\(|XMLHttpRequest|\bimport\(|(?:src|href)\s*=\s*["'`]https?:/.test(textOf(name)),
    );

    expect(loaded.length).toBeGreaterThan(pages.size * 3);
    expect(loaded.filter((line) => /: (?:[a-z]+:|\/\/)/.test(line))).toEqual([]);
    expect(reaching).toEqual([]);
  });

  it('lead to pages and headings that there are', () => {
    const ids = new Map([...pages].map(([name, html]) => [name, new Set(attributes(html, /\bid="([^"]*)"/g))]));
    const dead = [...pages].flatMap(([name, html]) =>
      attributes(html, /<(?:a|link|img|script|source)\b[^>]*\b(?:href|src|srcset)="([^"]*)"/g)
        .filter((address) => !/^(?:https?|mailto):/.test(address))
        .filter((address) => {
          const [file = '', anchor = ''] = address.split('#', 2);
          const target = file === '' ? name : path.posix.join(path.posix.dirname(name), file);
          if (!files.has(target)) return true;
          return anchor !== '' && ids.get(target)?.has(decodeURIComponent(anchor)) !== true;
        })
        .map((address) => `${name}: ${address}`),
    );
    expect(dead).toEqual([]);
  });

  it('are all found from the index', () => {
    const seen = new Set<string>();
    const follow = (name: string): void => {
      if (seen.has(name) || !pages.has(name)) return;
      seen.add(name);
      for (const address of attributes(pages.get(name)!, /<a\b[^>]*\bhref="([^"#:]+)/g))
        follow(path.posix.join(path.posix.dirname(name), address));
    };
    follow('index.html');
    expect([...pages.keys()].filter((name) => !seen.has(name))).toEqual([]);
  });
});
