import type { OpenGraph } from '../open-graph.js';
import { passingValue } from '../page-values.js';
import { namesOf } from '../source-values.js';
import type { MetaTag } from '../dom/page.js';

/** One image that a page names for itself. */
export interface StatedImage {
  /** As written. */
  readonly addresses: string[];
  /** Its further `og:image:` properties. */
  readonly facts: OpenGraph;
  /** Width and height in pixels, as far as they are stated. */
  readonly sides: Map<string, number>;
}

const ADDRESS = /^og:image(?::url|:secure_url)?$/;
const SIDE = /^og:image:(?:width|height)$/;
/** Only our copy tells (SPEC §2.3), as it does of width and height. */
const TYPE = 'og:image:type';
const MAX_IMAGES = 20;
const MAX_FACTS = 10;

/**
 * What a page states of each of its images: a property belongs to the `og:image` before it, and to the first where none
 * is (ogp.me, "Structured Properties").
 */
export function statedImages(metas: readonly MetaTag[]): StatedImage[] {
  const images: StatedImage[] = [{ addresses: [], facts: new Map(), sides: new Map() }];
  let isNamed = false;
  for (const meta of metas) {
    if (!/og:image/i.test(meta.key)) continue;
    for (const name of namesOf(meta)) {
      if (name === 'og:image' && isNamed) images.push({ addresses: [], facts: new Map(), sides: new Map() });
      isNamed ||= name === 'og:image';
      const image = images.at(-1);
      if (image === undefined || images.length >= MAX_IMAGES) return images;
      const { addresses, facts, sides } = image;
      if (ADDRESS.test(name)) addresses.push(meta.content);
      else if (SIDE.test(name)) sides.set(name, sides.get(name) ?? Number.parseInt(meta.content, 10));
      else if (name.startsWith('og:image:') && name !== TYPE && !facts.has(name) && facts.size < MAX_FACTS) {
        const value = passingValue(name, meta.content);
        if (value !== null) facts.set(name, value);
      }
    }
  }
  return images;
}
