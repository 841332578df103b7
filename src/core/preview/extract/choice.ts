import type { OpenGraph } from './open-graph.js';

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
