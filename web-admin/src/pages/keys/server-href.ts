/** The page of one server. */
export function serverHref(name: string): string {
  return `/keys/${encodeURIComponent(name)}`;
}
