import type { OpenGraph } from './open-graph.js';

/** What a precedence list made of the candidates; addresses as written on the page. */
export interface Choice {
  /** Without `og:image`. */
  readonly openGraph: OpenGraph;
  /** Which tag or text gave which value. */
  readonly origins: Map<string, string>;
  /** Candidates, best first. */
  readonly images: string[];
  /** What the page says of each, by its address; `standard` leaves that in `openGraph`. */
  readonly imageFacts: ReadonlyMap<string, OpenGraph>;
  readonly oembedUrls: string[];
  /** A description for when an oEmbed answer brings the title, which was made of the page's text; else null. */
  readonly textBesideOembed: string | null;
}
