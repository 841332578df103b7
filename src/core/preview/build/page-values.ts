import type { PageExtract } from '../extract/extract-page.js';
import { isLoginTitle } from '../extract/interstitials/interstitial-titles.js';
import type { OpenGraph } from '../extract/open-graph.js';
import type { OembedData } from '../oembed/convert-oembed.js';

/** oEmbed values win (SPEC §4.7.7); an author outranks a title that was made of text (SPEC §4.7.11), which then describes. */
export function overlaid(page: PageExtract, oembed: OembedData | null): OpenGraph {
  const merged: OpenGraph = new Map([...page.openGraph, ...(oembed?.openGraph ?? [])]);
  const isTitled = oembed !== null && (oembed.authorName !== null || hasText(oembed.openGraph, 'og:title'));
  if (!isTitled || page.origins.get('og:title') !== 'text:title') return merged;
  if (!hasText(oembed.openGraph, 'og:title')) merged.set('og:title', null);
  if (!hasText(merged, 'og:description')) merged.set('og:description', page.textBesideOembed);
  return merged;
}

/** A page that says nothing at all, as pages made by script do; icons are the site's, and stand behind all images. */
export function isBare(page: PageExtract): boolean {
  const said = ['og:title', 'og:description'].some((key) => hasText(page.openGraph, key));
  return !said && (page.images.length === 0 || page.origins.get('og:image') === 'icon');
}

/** Where values come from that no tag states. */
const UNSTATED = /^(?:heading|text):|^(?:img|icon)$/;

/** A page of which no tag names title, text or image, or that asks to log in: a registry may know more. */
export function isUntold({ origins, openGraph }: PageExtract): boolean {
  const stated = ['og:title', 'og:description', 'og:image'].filter((key) => origins.has(key));
  return (
    stated.every((key) => UNSTATED.test(origins.get(key) ?? '')) ||
    isLoginTitle(String(openGraph.get('og:title')))
  );
}

export function hasText(openGraph: OpenGraph, key: string): boolean {
  return (openGraph.get(key) ?? '') !== '';
}
