/** One value of a preview as the API gives it. */
export interface PreviewValue {
  key: string;
  value: unknown;
  /** "page", "oembed" or "made"; null when not known. */
  origin: string | null;
}

/** What clients read of a preview. Null = that line is not drawn. */
export interface CardModel {
  siteName: string;
  title: string | null;
  description: string | null;
  author: string | null;
  /** "" without one. */
  alt: string;
  /** Below 96 px or 8 KiB clients take the image for the icon of the site. */
  isIcon: boolean;
  hasImage: boolean;
  /** Video or sound: clients draw a play mark. */
  isPlayable: boolean;
}

const ICON_SIDE = 96;
const ICON_BYTES = 8_192;

function numberOf(value: unknown): number | null {
  const read = typeof value === 'string' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : null;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * What a chat client makes of the values (Element Web 2026, the strictest reader we know). Null: it draws no preview
 * at all, because the answer is empty or says no more than the link.
 */
export function cardOf(url: string, properties: readonly PreviewValue[]): CardModel | null {
  const values = new Map(properties.map(({ key, value }) => [key, value]));
  const words = (key: string) => {
    const value = values.get(key);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const hasImage = words('og:image') !== null;
  const named = words('og:site_name');
  const title = words('og:title');
  const description = words('og:description');
  if (!hasImage && (title === null || title === url)) return null;
  const size = [...values].find(([key]) => key.endsWith(':image:size'))?.[1];
  const sides = [numberOf(values.get('og:image:width')), numberOf(values.get('og:image:height'))];
  const isSmall = sides.some((side) => side !== null && side < ICON_SIDE);
  const author =
    words('og:type') === 'article' ? (words('article:author') ?? words('profile:username')) : null;
  return {
    siteName: named ?? hostOf(url),
    title,
    description: description === named ? null : description,
    author: author !== null && /^https?:/i.test(author) ? null : author,
    alt: words('og:image:alt') ?? '',
    isIcon: hasImage && (isSmall || (numberOf(size) ?? ICON_BYTES) < ICON_BYTES),
    hasImage,
    isPlayable: ['og:video', 'og:video:type', 'og:audio'].some((key) => values.has(key)),
  };
}
