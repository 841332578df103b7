import type { Client } from '../../base/client.js';
import { parseUrl } from '../../base/text/parse-url.js';
import { decodeChunks } from '../charset/decode-chunks.js';
import { findCharset } from '../charset/find-charset.js';
import type { Choice } from './choice.js';
import { isEnough } from './enough.js';
import { headerElements } from './header-elements.js';
import { chooseEnhanced } from './enhanced.js';
import type { OpenGraph } from './open-graph.js';
import { baseOfPage, resolveAddress } from './page-address.js';
import type { Page } from './dom/page.js';
import { parsePage } from './dom/parse-page.js';
import { refreshTarget } from './refresh.js';
import { chooseStandard } from './standard.js';
import { interstitialOf, type Interstitial } from './interstitials/interstitial.js';

/** A downloaded page and what came with it. */
export interface PageInput {
  readonly body: Buffer;
  readonly contentType: string | null;
  /** Address after all redirects. */
  readonly url: string;
  /** Address first asked for; without it a login page is never taken for an interstitial. */
  readonly requestedUrl?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a page says of itself. */
export interface PageExtract {
  /** Without `og:image`; `og:title` and `og:description` are always there, null when nothing was found. */
  readonly openGraph: OpenGraph;
  /** Image candidates, best first: absolute http(s) addresses and data URLs. */
  readonly images: readonly string[];
  /** Properties of single images, by their addresses among `images`; `enhanced` only. */
  readonly imageFacts: ReadonlyMap<string, OpenGraph>;
  /** Addresses of JSON oEmbed answers the page announces, absolute or data URLs. */
  readonly oembedUrls: readonly string[];
  /** A description for when an oEmbed answer brings the title, which was made of the page's text; else null. */
  readonly textBesideOembed: string | null;
  /** Where the page leads by itself; null where it stays, and for `standard`. */
  readonly refresh: string | null;
  /** Set when this is no page but an obstacle before it; `enhanced` only. */
  readonly interstitial: Interstitial | null;
  readonly charset: string;
  /** Time it took to find the charset, ms. */
  readonly decodeMs: number;
  /** Which tag or text gave which key, for operators. */
  readonly origins: ReadonlyMap<string, string>;
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
 * Reads one HTML page in one bounded pass; SPEC §4.7.7. Null when it is empty or cannot be decoded (the preview
 * is `{}` then). Rejects only when the page's own `url` is no URL.
 */
export async function extractPage(input: PageInput, options: ExtractOptions): Promise<PageExtract | null> {
  const startMs = performance.now();
  const { body, contentType } = input;
  const charset = await findCharset(body, { contentType, mode: options.mode });
  if (charset === null) return null;
  const decodeMs = Math.round(performance.now() - startMs);
  const address = new URL(input.url);
  const page = parsePage(decodeChunks(body, charset), {
    headers: headerElements(input.headers ?? {}, address),
    isXml: /^application\/xhtml/i.test(contentType ?? ''),
    isEnough: options.mode === 'standard' ? () => false : isEnough,
  });
  if (page.isEmpty) return null;
  return options.mode === 'standard'
    ? { interstitial: null, refresh: null, charset, decodeMs, ...resolved(chooseStandard(page), address) }
    : {
        interstitial: interstitialOf(page, answerOf(input, address)),
        charset,
        decodeMs,
        ...enhancedOf(page, address),
      };
}

type Found = Omit<PageExtract, 'interstitial' | 'refresh' | 'charset' | 'decodeMs'>;

function enhancedOf(page: Page, address: URL): Found & Pick<PageExtract, 'refresh'> {
  const base = baseOfPage(page.base, address);
  const refresh = refreshTarget(page, { address, base });
  return { refresh, ...resolved(chooseEnhanced(page, address, base), base) };
}

function resolved(choice: Choice, base: URL): Found {
  const absolute = (addresses: readonly string[]): string[] => [
    ...new Set(addresses.map((each) => resolveAddress(each, base)).filter((each) => each !== null)),
  ];
  return { ...choice, images: absolute(choice.images), oembedUrls: absolute(choice.oembedUrls) };
}

function answerOf(input: PageInput, address: URL): Parameters<typeof interstitialOf>[1] {
  const { requestedUrl, headers = {} } = input;
  const requested = requestedUrl === undefined ? null : parseUrl(requestedUrl);
  return { address, requested, headers };
}
