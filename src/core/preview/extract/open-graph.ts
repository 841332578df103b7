import { codePoints } from '../charset/visible-text.js';

const MAX_KEY_LENGTH = 50;
/** Bounds of what a preview answers with (SPEC §4.7.12): code points of a value, properties, bytes of JSON. */
export const MAX_VALUE_LENGTH = 1_000;
const MAX_PROPERTIES = 200;
export const MAX_BYTES = 65_536;

/** Open Graph properties in order of output: a string, an integer, or null; SPEC §2.3. */
export type OpenGraph = Map<string, string | number | null>;

/** What a precedence list makes of a page's candidates. */
export interface Choice {
  /** Without `og:image`; `og:title` and `og:description` are always there, null when nothing was found. */
  readonly openGraph: OpenGraph;
  /** Which tag or text gave which key, for operators. */
  readonly origins: ReadonlyMap<string, string>;
  /** Image candidates, best first: absolute http(s) addresses and data URLs. */
  readonly images: readonly string[];
  /** Properties of single images, by their addresses among `images`; `enhanced` only. */
  readonly imageFacts: ReadonlyMap<string, OpenGraph>;
  /** Addresses of JSON oEmbed answers the page announces, absolute or data URLs. */
  readonly oembedUrls: readonly string[];
  /** A description for when an oEmbed answer brings the title, which was made of the page's text; else null. */
  readonly textBesideOembed: string | null;
}

/**
 * Removes what SPEC §4.7.12 forbids: keys longer than 50 and values whose text is longer than 1000 code points;
 * then what lies beyond 200 properties or 64 kB of JSON. `dropped` names the removed keys, in order.
 */
export function pruneOpenGraph(og: OpenGraph): { kept: OpenGraph; dropped: string[] } {
  const kept: OpenGraph = new Map();
  const dropped: string[] = [];
  let bytes = 2;
  for (const [key, value] of og) {
    const size = isTooLong(key, value) ? Infinity : Buffer.byteLength(JSON.stringify([key, value]));
    if (kept.size >= MAX_PROPERTIES || bytes + size > MAX_BYTES) {
      dropped.push(key);
      continue;
    }
    bytes += size;
    kept.set(key, value);
  }
  return { kept, dropped };
}

/** Is a property longer than SPEC §4.7.12 allows? */
export function isTooLong(key: string, value: string | number | null): boolean {
  return codePoints(key) > MAX_KEY_LENGTH || codePoints(String(value)) > MAX_VALUE_LENGTH;
}

const PLAIN_INTEGER = /^\d{1,9}$/;
const SIZE_KEY = /:(?:width|height)$/;

/** `value` as the type its key has: widths and heights are integers, null when they are not; others stay text. */
export function typedValue(key: string, value: string): string | number | null {
  if (!SIZE_KEY.test(key)) return value;
  const digits = value.trim();
  return PLAIN_INTEGER.test(digits) ? Number(digits) : null;
}
