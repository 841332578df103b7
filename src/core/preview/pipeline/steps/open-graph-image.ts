import type { OpenGraph } from '../../extract/open-graph.js';
import type { SavedMedia } from '../../media/media-store.js';
import { imageTypeOf } from './image-step.js';

/** Names that depend on the dialect and the server. */
export interface ImageKeys {
  /** `svc:image:size` or `matrix:image:size`. */
  sizeKey: string;
  /** The same for the blurhash. */
  blurhashKey: string;
  contentUri(mediaId: string): string;
}

/** Result of an image target (SPEC §4.7.6): description, image, type, size, and dimensions when known. */
export function describeImage(media: SavedMedia, keys: ImageKeys): OpenGraph {
  const openGraph: OpenGraph = new Map();
  openGraph.set('og:description', media.uploadName);
  setImage(openGraph, media, keys);
  if (media.width !== null && media.height !== null) {
    openGraph.set('og:image:width', media.width);
    openGraph.set('og:image:height', media.height);
  }
  return openGraph;
}

/** Takes out what only a stored image may say (SPEC §2.3); no page knows how large what it names will be. */
export function dropImageFacts(openGraph: OpenGraph, { sizeKey, blurhashKey }: ImageKeys): void {
  const keys = ['og:image', 'og:image:type', 'og:image:width', 'og:image:height', sizeKey, blurhashKey];
  for (const key of keys) openGraph.delete(key);
}

/** Puts a stored image into a page's Open Graph (SPEC §4.7.9). */
export function attachImage(openGraph: OpenGraph, media: SavedMedia, keys: ImageKeys): void {
  if (media.width !== null && media.height !== null) {
    openGraph.set('og:image:width', media.width);
    openGraph.set('og:image:height', media.height);
  }
  setImage(openGraph, media, keys);
}

function setImage(openGraph: OpenGraph, media: SavedMedia, keys: ImageKeys): void {
  openGraph.set('og:image', keys.contentUri(media.mediaId));
  openGraph.set('og:image:type', imageTypeOf(media));
  openGraph.set(keys.sizeKey, media.sizeBytes);
  if (media.blurhash !== null) openGraph.set(keys.blurhashKey, media.blurhash);
}
