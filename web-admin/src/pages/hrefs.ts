/** The page of one server; `tab` other than the one it would open. */
export function serverHref(name: string, tab?: string): string {
  return `/keys/${encodeURIComponent(name)}${tab === undefined ? '' : `?tab=${tab}`}`;
}

/** The stored previews of a host and its subdomains. */
export function hostHref(host: string): string {
  return `/previews?host=${encodeURIComponent(`.${host}`)}`;
}

/** What leads to the page of a preview. */
interface ShownPreview {
  url: string;
  /** Of the stored preview; null when none is stored. */
  id: string | null;
}

/**
 * The page of a preview, or of an address without one. An address shown with `…` in place of a part is found by id; null
 * where there is none.
 */
export function previewHref(shown: ShownPreview & { id: string }): string;
export function previewHref(shown: ShownPreview): string | null;
export function previewHref({ id, url }: ShownPreview): string | null {
  const address = `/previews/view?url=${encodeURIComponent(url)}`;
  if (!url.includes('…')) return address;
  return id === null ? null : `${address}&id=${encodeURIComponent(id)}`;
}

/** The drawer of one media; in the list itself its filters stay. */
export function mediaHref(mediaId: string): string {
  const { pathname, search } = window.location;
  const list = new URLSearchParams(pathname.endsWith('/previews') ? search : '');
  const params = list.get('tab') === 'media' ? list : new URLSearchParams({ tab: 'media' });
  params.set('item', mediaId);
  return `/previews?${params.toString()}`;
}

/** The drawer of one run. */
export function runHref(id: string): string {
  return `/jobs?run=${encodeURIComponent(id)}`;
}

/** What one rule refused. */
export function hitsHref(ruleId: string): string {
  return `/blocking?tab=hits&rule=${encodeURIComponent(ruleId)}`;
}

/** The page that tries an address. Opening it fetches nothing. */
export function tryHref(url: string): string {
  return `/previews?tab=try&url=${encodeURIComponent(url)}`;
}
