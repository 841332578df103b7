/** The page of one request; for operators. */
export function requestHref(requestId: string): string {
  return `/requests/${encodeURIComponent(requestId)}`;
}
