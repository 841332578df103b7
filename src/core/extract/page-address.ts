const LONGEST = 2_000;

/** `address` made absolute against `base`; data URLs stay as written. Null for anything but http, https and data. */
export function resolveAddress(address: string, base: URL): string | null {
  if (address.startsWith('data:')) return address;
  const url = URL.canParse(address, base.href) ? new URL(address, base) : null;
  return url === null || !isWeb(url) ? null : url.href;
}

/** What relative addresses of the page are relative to: its `<base href>` where that is sensible. */
export function baseOfPage(href: string | null, address: URL): URL {
  if (href === null || !URL.canParse(href.trim(), address.href)) return address;
  const base = new URL(href.trim(), address);
  return isWeb(base) ? base : address;
}

/**
 * The address a page gives itself, where it can be believed: on the host it was found on (`www.` and `m.` aside),
 * and not the front page for something deeper. Else null.
 */
export function cleanAddress(raw: string, address: URL, base: URL): string | null {
  const text = raw.trim();
  if (text === '' || text.length > LONGEST || !URL.canParse(text, base.href)) return null;
  const url = new URL(text, base);
  if (!isWeb(url) || url.username !== '' || url.password !== '') return null;
  if (plainHost(url) !== plainHost(address)) return null;
  const isFrontPage = url.pathname === '/' && url.search === '';
  if (isFrontPage && (address.pathname !== '/' || address.search !== '')) return null;
  return url.href;
}

function plainHost(url: URL): string {
  return url.hostname.replace(/^(?:www|m|mobile|amp)\./, '');
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}
