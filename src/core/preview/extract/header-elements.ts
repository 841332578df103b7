import { Element } from 'domhandler';

import { resolveAddress } from './page-address.js';
import { refreshOf } from './refresh.js';

/** One link of a `Link` header: address, then parameters; RFC 8288 §3. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"<>]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))/g;
/** Blanks around what is read cost time beyond this. */
const BLANKS = /\s{2,}/g;

/**
 * What the headers `Link` and `Refresh` say, as the elements that say the same in a page: links of any kind (oEmbed,
 * canonical, icons) and where the page leads. Relative to the address of the page, not to its base.
 */
export function headerElements(headers: Readonly<Record<string, string>>, address: URL): Element[] {
  const { delay, target } = refreshOf(headers['refresh'] ?? '');
  const url = target === '' ? null : resolveAddress(target, address);
  const refresh =
    url === null ? [] : [new Element('meta', { 'http-equiv': 'refresh', content: `${delay};url=${url}` })];
  return [...refresh, ...linksOf(headers['link'] ?? '', address)];
}

/** Links of another page, with an `anchor`, are left out. */
function linksOf(header: string, address: URL): Element[] {
  return [...header.replaceAll(BLANKS, ' ').matchAll(LINK)].flatMap(([, target = '', parameters = '']) => {
    const attributes: Record<string, string> = {};
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(PARAMETER))
      attributes[name.toLowerCase()] ??= (quoted ?? bare).replaceAll(/\\(.)/g, '$1');
    const href = resolveAddress(target.trim(), address);
    if (href === null || attributes['rel'] === undefined || 'anchor' in attributes) return [];
    return [new Element('link', { ...attributes, href })];
  });
}
