import type { Element } from 'domhandler';

import type { Client } from '../../base/fair-queue.js';
import { parseUrl, resolveAddress } from '../../base/text/url.js';
import { decodeChunks, findCharset } from '../charset/find-charset.js';
import { chooseEnhanced } from './enhanced.js';
import { headerElements, refreshTarget, DESCRIPTIONS } from './page.js';
import { parsePage } from './parser.js';
import { type Choice, asText } from './open-graph.js';
import { imageAddress, isTinyStated } from './images.js';
import { chooseStandard } from './standard.js';
import { interstitialOf, isLoginPath, type Interstitial } from './interstitial.js';

export interface PageInput {
  readonly body: Buffer;
  readonly contentType: string | null;
  readonly url: string;
  /** Address first asked for; without it a login page is never taken for an interstitial. */
  readonly requestedUrl?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageExtract extends Choice {
  /** Where the page leads by itself; null where it stays, and for `standard`. */
  readonly refresh: string | null;
  /** Set when this is no page but an obstacle before it; `enhanced` only. */
  readonly interstitial: Interstitial | null;
  readonly charset: string;
  readonly decodeMs: number;
}

export interface ExtractOptions {
  readonly mode: 'standard' | 'enhanced';
  /** Whose turn it is where pages wait to be read. */
  readonly client?: Client;
  readonly signal?: AbortSignal;
  /** Whether the body may be moved away, where another thread reads it. */
  readonly mayTake?: boolean;
}

/** How a page is read: in this thread, or by asking another one. */
export type ExtractPage = (input: PageInput, options: ExtractOptions) => Promise<PageExtract | null>;

/**
 * Reads one HTML page in one bounded pass; SPEC §4.7.7. Null when it is empty, no text or cannot be decoded (the preview
 * is `{}` then). Rejects only when the page's own `url` is not a URL.
 */
export async function extractPage(input: PageInput, options: ExtractOptions): Promise<PageExtract | null> {
  const startMs = performance.now();
  const { body, contentType } = input;
  const charset = findCharset(body, { contentType, mode: options.mode });
  if (charset === null || isBinary(body, charset)) return null;
  const decodeMs = Math.round(performance.now() - startMs);
  const address = new URL(input.url);
  const page = parsePage(decodeChunks(body, charset), {
    headers: headerElements(input.headers ?? {}, address),
    isXml: /^application\/xhtml/i.test(contentType ?? ''),
    isEnough: options.mode === 'standard' ? () => false : enoughOf(body, address),
  });
  if (page.isEmpty) return null;
  if (options.mode === 'standard')
    return {
      interstitial: null,
      refresh: null,
      charset,
      decodeMs,
      ...resolved(chooseStandard(page), address),
    };
  const base = page.base(address);
  const requested = input.requestedUrl === undefined ? null : parseUrl(input.requestedUrl);
  return {
    interstitial: interstitialOf(page, { address, requested, headers: input.headers ?? {} }),
    refresh: refreshTarget(page, { address, base }),
    charset,
    decodeMs,
    ...resolved(chooseEnhanced(page, address, base), base),
  };
}

/** How UTF-16 starts: a mark, or a tag or blank of two bytes. */
const WIDE_START = /^(?:\xff\xfe|\xfe\xff|[<\s]\0|\0[<\s])/;

/** A PDF, or a file with controls where a page begins, as archives and films have them. */
function isBinary(body: Buffer, charset: string): boolean {
  const start = body.toString('latin1', 0, 64);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const controls = start.match(/[\0-\x08\x0e-\x1a\x1c-\x1f]/g) ?? [];
  return (
    start.startsWith('%PDF-') ||
    (controls.length > 1 && !charset.startsWith('utf-16') && !WIDE_START.test(start))
  );
}

function resolved(choice: Choice, base: URL): Choice {
  const absolute = (addresses: readonly string[]): string[] => [
    ...new Set(addresses.map((each) => resolveAddress(each, base)).filter((each) => each !== null)),
  ];
  return { ...choice, images: absolute(choice.images), oembedUrls: absolute(choice.oembedUrls) };
}

const LOOKED_AT = 500;

/**
 * Do the tags of a head say all of a card? Nothing in the rest of the page can better it then, but for an oEmbed
 * address, the site's name in JSON-LD, and the form of a login page.
 */
function enoughOf(body: Buffer, address: URL): (tags: readonly Element[]) => boolean {
  if (isLoginPath(address)) return () => false;
  const [hasLinkedData, hasOembed] = [body.includes('ld+json'), body.includes('json+oembed')];
  const isImage = (content: string): boolean => imageAddress(content, address) !== null;
  return (tags) => {
    const first = tags.slice(0, LOOKED_AT);
    const says = (keys: readonly string[], isFit: (content: string) => boolean = () => true): boolean =>
      first.some(({ attribs: { property = '', name = '', content = '' } }) => {
        const isNamed = keys.includes(property.toLowerCase()) || keys.includes(name.toLowerCase());
        return isNamed && asText(content) !== null && isFit(content);
      });
    return (
      says(['og:title', 'twitter:title']) &&
      says(DESCRIPTIONS) &&
      says(['og:image', 'twitter:image'], isImage) &&
      !says(['og:image:width'], isTinyStated) &&
      (!hasLinkedData || says(['og:site_name'])) &&
      (!hasOembed || first.some(({ attribs }) => attribs['type']?.includes('json+oembed')))
    );
  };
}
