/** Host name of an address as lists are filtered by it: lower case, punycode; empty when there is none. */
export function hostOfUrl(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).hostname : '';
}

/** A host name as somebody types it, in that form; what is no host name stays as it is and finds nothing. */
export function plainHost(text: string): string {
  const url = `http://${text.trim()}/`;
  return hostOfUrl(url) === '' ? text.toLowerCase() : hostOfUrl(url);
}
