import { getDomain } from 'tldts';

/**
 * The domain that somebody registered and below which they can make names at will, by the public suffix list, its
 * private section included; lower case. A name with none, such as a single label or a suffix, stands for itself.
 */
export function registrableDomain(name: string): string {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return getDomain(name, options) ?? name.toLowerCase();
}
