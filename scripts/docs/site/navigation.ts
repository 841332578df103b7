import MarkdownIt from 'markdown-it';

import type { Links, SourcePage } from './source-pages.js';

/** Pages under one heading of the index. */
export interface NavigationGroup {
  title: string;
  entries: { title: string; target: string }[];
}

/**
 * The groups and pages of `docs/README.md`, in its order. A page that it does not name stands under the page of its
 * folder, or at the end.
 */
export function navigation(pages: readonly SourcePage[], links: Links, titles: ReadonlyMap<string, string>): NavigationGroup[] {
  const index = pages.find(({ source }) => source === 'docs/README.md');
  if (index === undefined) throw new Error('docs/README.md is not there');
  const groups: NavigationGroup[] = [];
  const tokens = new MarkdownIt().parse(index.text, {});
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2')
      groups.push({ title: tokens[at + 1]?.content ?? '', entries: [] });
    for (const [place, child] of (token.children ?? []).entries()) {
      const group = groups.at(-1);
      if (child.type !== 'link_open' || group === undefined) continue;
      const target = links.resolve(index, String(child.attrGet('href')));
      if (target !== null) group.entries.push({ title: token.children?.[place + 1]?.content ?? '', target });
    }
  }
  const named = new Set(groups.flatMap(({ entries }) => entries.map(({ target }) => target)));
  const others = pages
    .filter(({ source, target }) => source !== 'docs/README.md' && !named.has(target) && !isBelow(target, named))
    .map(({ source, target }) => ({ title: titles.get(source) ?? source, target }));
  return others.length === 0 ? groups : [...groups, { title: 'More', entries: others }];
}

/** Whether the page of its folder is named, which links it. */
function isBelow(target: string, named: ReadonlySet<string>): boolean {
  const folder = target.slice(0, target.lastIndexOf('/') + 1);
  return folder !== '' && named.has(`${folder}index.html`);
}
