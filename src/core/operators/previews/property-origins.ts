/** Where a value of a preview comes from: the page, an oEmbed answer, or made here from the stored image. */
export type PropertyOrigin = 'page' | 'oembed' | 'made';

export interface PreviewProperty {
  key: string;
  value: string | number | null;
  origin: PropertyOrigin;
}

const MADE_OF_IMAGE = /^(?:og:image(?::(?:type|width|height))?|[a-z]{1,20}:image:size)$/;

/** The values of an answer in its order. `openGraph` is the JSON text that clients get. */
export function propertiesOf(openGraph: string, oembedKeys: ReadonlySet<string>): PreviewProperty[] {
  // The answers we make hold nothing else.
  const values: Record<string, PreviewProperty['value']> = JSON.parse(openGraph);
  const hasImage = Object.hasOwn(values, 'og:image');
  return Object.entries(values).map(([key, value]) => ({
    key,
    value,
    origin: originOf(key, { hasImage, oembedKeys }),
  }));
}

/** Where one value comes from; the image of an answer is always our copy. */
export function originOf(
  key: string,
  { hasImage, oembedKeys }: { hasImage: boolean; oembedKeys: ReadonlySet<string> },
): PropertyOrigin {
  if (hasImage && MADE_OF_IMAGE.test(key)) return 'made';
  return oembedKeys.has(key) ? 'oembed' : 'page';
}
