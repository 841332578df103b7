import { parsePage } from '../extract/dom/parse-page.js';
import { summarizeText, textNodes } from '../extract/text/summary.js';

/** What the `html` member of an oEmbed answer shows. */
export interface EmbedHtml {
  /** Source of the first image, as written. */
  image: string | null;
  /** Source of the first `video`, else of the first `embed`. */
  video: string | null;
  /** Summary of the text, null without any. */
  text: string | null;
}

const MAX_LENGTH = 32_768;

/** Reads a fragment of HTML; what lies beyond 32 kB is not looked at. Runs no scripts and loads nothing. */
export function readEmbedHtml(html: string, extraction: 'standard' | 'enhanced'): EmbedHtml {
  const page = parsePage([html.slice(0, MAX_LENGTH)], {
    isXml: false,
    isEnough: () => false,
  });
  const sourceOf = (selector: string): string | null => page.$(selector).first().attr('src') ?? null;
  const texts = extraction === 'enhanced' ? page.body.blocks.map(({ text }) => text) : textNodes(page.root);
  return {
    image: sourceOf('img[src]'),
    video: sourceOf('video[src]') ?? sourceOf('embed[src]'),
    text: summarizeText(texts),
  };
}
