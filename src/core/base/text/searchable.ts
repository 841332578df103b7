/** What a search in addresses may look at. */
export interface AddressSearch {
  /** Whether it passes over query strings and fragments, for somebody who must not see them. */
  hidesQueries?: boolean;
}

/**
 * The part of a URL that may be searched, so that no search finds what `Privacy.url` hides. User information is left
 * out. Where query strings are hidden, only the part before them is searched, and nothing of a URL with user
 * information.
 */
export function searchableUrl(url: string, host: string, { hidesQueries = false }: AddressSearch): string {
  const [open = ''] = url.split(/[?#]/, 1);
  const behindScheme = open.slice(open.indexOf(':') + 1).replaceAll('\\', '/');
  const rest = behindScheme.replace(/^[/\t\n\r]+/, '');
  const [authority = ''] = rest.split('/', 1);
  const namesUser = authority.includes('@');
  if (hidesQueries) return namesUser ? '' : open;
  return namesUser ? host + rest.slice(authority.length) + url.slice(open.length) : url;
}

/** The same for a text: of one that names an address with something hidden in it, nothing. */
export function searchableText(text: string, { hidesQueries = false }: AddressSearch): string {
  const namesAddress = text.replaceAll('\\', '/').includes(':/');
  return namesAddress && (hidesQueries || text.includes('@')) ? '' : text;
}
