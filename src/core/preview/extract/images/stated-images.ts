import type { OpenGraph } from '../open-graph.js';
import { passingValue } from '../page-values.js';
import type { MetaTag } from '../dom/page.js';
import { namesOf } from '../source-values.js';

/** One image that a page names for itself. */
export interface StatedImage {
  /** As written. */
  readonly addresses: string[];
  /** Its further `og:image:` properties. */
  readonly facts: OpenGraph;
  /** In pixels; `null` where none is stated. */
  width: number | null;
  height: number | null;
}

const ADDRESSES: ReadonlySet<string> = new Set(['og:image:url', 'og:image:secure_url']);
/** Only our copy tells (SPEC §2.3), as it does of width and height. */
const TYPE = 'og:image:type';
const MAX_IMAGES = 20;
const MAX_FACTS = 10;

/**
 * What a page states of each of its images: a property belongs to the `og:image` before it, and to the first where none
 * is (ogp.me, "Structured Properties").
 */
export function statedImages(metas: readonly MetaTag[]): StatedImage[] {
  let current = unstated();
  const images = [current];
  let isNamed = false;
  for (const { name, content } of imageTags(metas)) {
    if (name === 'og:image') {
      if (isNamed) images.push((current = unstated()));
      isNamed = true;
      current.addresses.push(content);
    } else if (ADDRESSES.has(name)) {
      current.addresses.push(content);
    } else if (name === 'og:image:width') {
      current.width ??= Number.parseInt(content, 10);
    } else if (name === 'og:image:height') {
      current.height ??= Number.parseInt(content, 10);
    } else if (name !== TYPE && !current.facts.has(name) && current.facts.size < MAX_FACTS) {
      const value = passingValue(name, content);
      if (value !== null) current.facts.set(name, value);
    }
    if (images.length >= MAX_IMAGES) break;
  }
  return images;
}

function unstated(): StatedImage {
  return { addresses: [], facts: new Map(), width: null, height: null };
}

function imageTags(metas: readonly MetaTag[]): { name: string; content: string }[] {
  return metas
    .filter(({ key }) => /og:image/i.test(key))
    .flatMap((meta) => namesOf(meta).map((name) => ({ name, content: meta.content })))
    .filter(({ name }) => /^og:image(?::|$)/.test(name));
}
