/** The stored previews of a host and its subdomains. */
export function hostHref(host: string): string {
  return `/previews?host=${encodeURIComponent(`.${host}`)}`;
}
