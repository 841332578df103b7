import { parseMediaId } from '../media/media-id.js';
import { storableText } from '../../base/text/storable-text.js';
import { hostEnd, hostOfUrl } from '../../base/text/url-host.js';

/** What a stored preview repeats of its address and answer, for lists. */
export interface PreviewColumns {
  /** First 200 characters of the address. */
  urlKey: string;
  host: string;
  /** Last two labels of it. */
  hostEnd: string;
  /** First 300 characters of `og:title`. */
  title: string | null;
  /** Media of `og:image`. */
  imageMediaId: string | null;
  /** Whether the answer is `{}`. */
  isEmpty: boolean;
}

const URL_KEY_LENGTH = 200;
const TITLE_LENGTH = 300;

/** Reads the columns off an address and its answer. `openGraph` is the JSON text that is stored. */
export function previewColumns(url: string, openGraph: string): PreviewColumns {
  const values = new Map<string, unknown>(Object.entries(JSON.parse(openGraph)));
  const title = values.get('og:title');
  const host = hostOfUrl(url);
  return {
    urlKey: url.slice(0, URL_KEY_LENGTH),
    host,
    hostEnd: hostEnd(host),
    title: typeof title === 'string' ? storableText(title.slice(0, TITLE_LENGTH)) : null,
    imageMediaId: mediaIdOf(values.get('og:image')),
    isEmpty: values.size === 0,
  };
}

/** The media id of one of our content URIs; `null` for everything else. */
export function mediaIdOf(contentUri: unknown): string | null {
  if (typeof contentUri !== 'string') return null;
  const mediaId = contentUri.slice(contentUri.lastIndexOf('/') + 1);
  return parseMediaId(mediaId) === null ? null : mediaId;
}
