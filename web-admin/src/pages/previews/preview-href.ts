/** What leads to the page of a preview. */
interface Shown {
  /** Of the stored preview; null when none is stored. */
  id: string | null;
  url: string;
}

/**
 * The page of a preview, or of an address without one. Who is shown `…` in place of a part of the address finds it by
 * id; null where they have none.
 */
export function previewHref(shown: Shown & { id: string }): string;
export function previewHref(shown: Shown): string | null;
export function previewHref({ id, url }: Shown): string | null {
  const address = `/previews/view?url=${encodeURIComponent(url)}`;
  if (!url.includes('…')) return address;
  return id === null ? null : `${address}&id=${encodeURIComponent(id)}`;
}
