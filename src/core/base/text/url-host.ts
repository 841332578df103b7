import { parseUrl } from './parse-url.js';

/** Host name of an address as lists are filtered by it: lower case, punycode, no dot at its end; empty without one. */
export function hostOfUrl(url: string | null): string {
  return url === null ? '' : (parseUrl(url)?.hostname.replace(/\.$/, '') ?? '');
}

/** The last two labels of a host name, which it shares with all hosts below the same domain. */
export function hostEnd(host: string): string {
  return host.split('.').slice(-2).join('.');
}

/** The host of typed text in that form; what is not a host name is only put in lower case, and finds nothing. */
export function plainHost(text: string): string {
  const url = `http://${text.trim()}/`;
  return hostOfUrl(url) === '' ? text.toLowerCase() : hostOfUrl(url);
}

/** Which hosts somebody means: `name` itself, those below it, or both. */
export interface HostPattern {
  /** As `plainHost`. */
  name: string;
  itself: boolean;
  below: boolean;
}

/** What `readHostPattern` takes, in words. */
export const HOST_PATTERN = '"example.org" is that host, "*.example.org" its subdomains, ".example.org" both';

/** Reads `example.org` (that host), `*.example.org` (those below it) and `.example.org` (both). */
export function readHostPattern(text: string): HostPattern {
  const [, mark = '', name = ''] = /^(\*\.|\.|)(.*)$/s.exec(text.trim()) ?? [];
  return { name: plainHost(name), itself: mark !== '*.', below: mark !== '' };
}

export function isHostMeant({ name, itself, below }: HostPattern, host: string): boolean {
  return (itself && host === name) || (below && host.endsWith(`.${name}`));
}
