import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import MiniSearch from 'minisearch';

import { navigation } from './navigation.js';
import { pageFrame } from './page-frame.js';
import { renderPage, type RenderedPage } from './render-page.js';
import { Links, sourcePages } from './source-pages.js';

const HERE = new URL('./', import.meta.url);

/** Builds the pages of a checkout into a folder, which is emptied first. Throws for a link that leads nowhere. */
export async function buildSite(root: string, folder: string): Promise<{ pages: number; folder: string }> {
  const sources = sourcePages(root);
  const links = new Links(root, sources);
  const pages = sources.map((source) => ({ ...source, ...renderPage(source, links) }));
  const groups = navigation(sources, links, new Map(pages.map(({ source, title }) => [source, title])));
  await rm(folder, { recursive: true, force: true });
  for (const page of pages) await write(join(folder, page.target), pageFrame(page, page.target, groups));
  for (const [target, source] of links.files) {
    await mkdir(dirname(join(folder, target)), { recursive: true });
    await cp(join(root, source), join(folder, target));
  }
  await write(join(folder, 'search-index.js'), searchIndex(pages));
  await write(join(folder, 'site.css'), await styles(root));
  await cp(new URL('search.js', HERE), join(folder, 'search.js'));
  await cp(join(root, 'web-admin/src/brand/favicon.svg'), join(folder, 'favicon.svg'));
  // The form for browsers without modules, which pages opened as files cannot load.
  const library = createRequire(import.meta.url).resolve('minisearch');
  const script = await readFile(join(dirname(library), '../umd/index.js'), 'utf8');
  await write(join(folder, 'minisearch.js'), script.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
  return { pages: pages.length, folder };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The index as a script: a page opened as a file may load no data, but scripts. */
function searchIndex(pages: readonly (RenderedPage & { target: string })[]): string {
  const index = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page', 'url'] });
  let id = 0;
  for (const { target, title: page, sections } of pages)
    for (const { anchor, title, text } of sections) {
      if (title === '' && text.trim() === '') continue;
      index.add({ id: (id += 1), title: title === '' ? page : title, text, page, url: `${target}#${anchor}` });
    }
  return `globalThis.searchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}

/** The colours of the operators' pages, by the system's setting for light or dark, and our own styles. */
async function styles(root: string): Promise<string> {
  const tokens = await readFile(join(root, 'web-admin/src/theme/tokens.css'), 'utf8');
  const dark = ":root[data-mantine-color-scheme='dark'] {";
  const [light = '', rest = ''] = tokens.split(dark);
  const own = await readFile(new URL('site.css', HERE), 'utf8');
  const [darkColours = ''] = rest.split('\n}', 1);
  return `${light}@media (prefers-color-scheme: dark) {\n:root {${darkColours}\n}\n}\n\n${own}`;
}
