/** Host name of an address as lists are filtered by it: lower case, punycode; empty when there is none. */
export function hostOfUrl(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).hostname : '';
}
