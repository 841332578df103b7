/** The page of a host; with those below it unless told otherwise. */
export function siteHref(host: string): string {
  return `/sites/${encodeURIComponent(host)}`;
}
