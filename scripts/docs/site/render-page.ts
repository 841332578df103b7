import MarkdownIt, { type Token } from 'markdown-it';

import type { Links, SourcePage } from './source-pages.js';

/** A part of a page under one heading, for the search and the list beside the text. */
export interface Section {
  /** Of the heading; empty before the first. */
  anchor: string;
  title: string;
  level: number;
  text: string;
}

/** A page as it is shown. */
export interface RenderedPage {
  title: string;
  html: string;
  sections: Section[];
}

const markdown = new MarkdownIt({ html: true });
markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
// What may be wider than the page scrolls, for the keyboard too.
markdown.renderer.rules['table_close'] = () => '</table></div>\n';

const { fence } = markdown.renderer.rules;
if (fence === undefined) throw new Error('no rule for code blocks');
markdown.renderer.rules['fence'] = (...given) => fence(...given).replace('<pre>', '<pre tabindex="0">');

/** Renders a text, with anchors as the repository's web view makes them. Throws for a link that leads nowhere. */
export function renderPage(page: SourcePage, links: Links): RenderedPage {
  const tokens = markdown.parse(page.text, {});
  const sections: Section[] = [{ anchor: '', title: '', level: 1, text: '' }];
  const used = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1]);
      const anchor = unique(slugOf(title), used);
      token.attrSet('id', anchor);
      sections.push({ anchor, title, level: Number(token.tag.slice(1)), text: '' });
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      const last = sections.at(-1);
      if (last !== undefined) last.text += textOf(token);
    }
    relink(token, page, links);
  }
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { title: sections[1]?.title ?? page.source, html, sections };
}

function relink(token: Token, page: SourcePage, links: Links): void {
  const open: Token[] = [];
  for (const child of [token, ...(token.children ?? [])]) {
    if (child.type === 'link_open') {
      open.push(child);
      const target = links.resolve(page, String(child.attrGet('href')));
      if (target === null) child.tag = 'span';
      else child.attrSet('href', target);
      if (target === null) child.attrs = [];
    } else if (child.type === 'link_close') child.tag = open.pop()?.tag ?? 'a';
    else if (child.type === 'html_block' || child.type === 'html_inline')
      child.content = child.content.replaceAll(
        /\b(src|srcset|href)="([^"]+)"/g,
        (_all, name: string, address: string) => `${name}="${links.resolve(page, address) ?? ''}"`,
      );
  }
}

/** As GitHub makes them. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');
}

function unique(slug: string, used: Map<string, number>): string {
  const times = used.get(slug) ?? 0;
  used.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join('');
}

function textOf(token: Token): string {
  if (token.type === 'fence') return ` ${token.content}`;
  return token.type === 'inline' ? ` ${plainText(token)}` : '';
}
