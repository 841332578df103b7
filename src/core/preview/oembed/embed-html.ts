import type { CheerioAPI } from 'cheerio/slim';

import { isSkipped } from '../extract/pass/text/element-context.js';
import { summarizeText } from '../extract/text/summary.js';

/** What the `html` member of an oEmbed answer shows. */
export interface EmbedHtml {
  /** Source of the first image, as written. */
  image: string | null;
  /** Source of the first `video`, else of the first `embed`. */
  video: string | null;
  /** Summary of the text, null without any. */
  text: string | null;
}

type Node = ReturnType<CheerioAPI['root']>[number]['children'][number];

const MAX_LENGTH = 32_768;
/** DOM Standard §4.4 */
const TEXT_NODE = 3;

const INLINE: ReadonlySet<string> = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'cite',
  'code',
  'em',
  'font',
  'i',
  'mark',
  'q',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'time',
  'u',
]);

/**
 * Reads a fragment of HTML; what lies beyond 32 kB is not looked at. Runs no scripts, loads nothing, and walks
 * without recursion, so that nesting costs no stack.
 */
export async function readEmbedHtml(html: string, extraction: 'standard' | 'enhanced'): Promise<EmbedHtml> {
  const { load } = await import('cheerio/slim');
  const $ = load(html.slice(0, MAX_LENGTH), { xml: { xmlMode: false, decodeEntities: true } }, false);
  const sources = firstSources($);
  return {
    image: sources.get('img') ?? null,
    video: sources.get('video') ?? sources.get('embed') ?? null,
    text: summarizeText(paragraphsOf($, extraction === 'enhanced')),
  };
}

/** The first `src` of each kind of element. A selector would take a time that grows with the square of siblings. */
function firstSources($: CheerioAPI): Map<string, string> {
  const sources = new Map<string, string>();
  const stack: Node[] = [...($.root()[0]?.children ?? [])].toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!('attribs' in node)) continue;
    const source = node.attribs['src'];
    if (source !== undefined && !sources.has(node.name)) sources.set(node.name, source);
    for (let child = node.lastChild; child !== null; child = child.prev) stack.push(child);
  }
  return sources;
}

/** Text nodes, or the text between tags that are not inline. */
function* paragraphsOf($: CheerioAPI, mergesInline: boolean): Generator<string> {
  let paragraph = '';
  const stack: (Node | 'block end')[] = [...($.root()[0]?.children ?? [])].toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node !== 'block end' && node.nodeType === TEXT_NODE) {
      if (mergesInline) paragraph += node.data;
      else yield node.data;
      continue;
    }
    const isInline = node !== 'block end' && 'attribs' in node && INLINE.has(node.name);
    if (!isInline && paragraph !== '') {
      yield paragraph;
      paragraph = '';
    }
    if (node === 'block end' || !('attribs' in node) || isSkipped(node.name)) continue;
    if (!isInline) stack.push('block end');
    for (let child = node.lastChild; child !== null; child = child.prev) stack.push(child);
  }
  if (paragraph !== '') yield paragraph;
}
