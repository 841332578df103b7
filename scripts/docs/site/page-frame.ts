import { dirname, posix } from 'node:path';

import type { NavigationGroup } from './navigation.js';
import type { RenderedPage } from './render-page.js';

/** A page with all that stands around it. */
export function pageFrame(page: RenderedPage, target: string, groups: readonly NavigationGroup[]): string {
  const to = (path: string): string => posix.relative(dirname(target), path);
  const title = target === 'index.html' ? 'Vidimus' : `${page.title} · Vidimus`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="${to('favicon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
<body data-root="${to('index.html').replace(/index\.html$/, '')}">
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="home" href="${to('index.html')}"><img src="${to('favicon.svg')}" alt="" width="24" height="24"> Vidimus</a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="found" autocomplete="off">
<div id="found" aria-live="polite" hidden></div>
</div>
</header>
<div class="columns">
<details class="menu" open><summary>Contents</summary><nav aria-label="Pages">
${groups.map((group) => groupList(group, target, to)).join('\n')}
</nav></details>
<main id="text" tabindex="-1">
${page.html}</main>
${contents(page)}
</div>
<script src="${to('minisearch.js')}"></script>
<script src="${to('search.js')}"></script>
</body>
</html>
`;
}

function groupList({ title, entries }: NavigationGroup, target: string, to: (path: string) => string): string {
  const items = entries.map((entry) => {
    const current = entry.target === target ? ' aria-current="page"' : '';
    return `<li><a href="${to(entry.target)}"${current}>${escaped(entry.title)}</a></li>`;
  });
  return `<h2>${escaped(title)}</h2><ul>${items.join('')}</ul>`;
}

/** The headings of a page with some of them. */
function contents({ sections }: RenderedPage): string {
  const shown = sections.filter(({ level, anchor }) => level === 2 && anchor !== '');
  if (shown.length < 3) return '<aside></aside>';
  const items = shown.map(({ anchor, title }) => `<li><a href="#${anchor}">${escaped(title)}</a></li>`);
  return `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav></aside>`;
}

/** A text as HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
