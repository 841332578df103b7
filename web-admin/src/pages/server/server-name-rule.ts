/**
 * Which rule of the server-name grammar (Matrix spec, appendices) a text breaks, as a sentence; null when it keeps
 * them all. The server judges again; this is only to say why.
 */
export function brokenNameRule(name: string): string | null {
  if (name.length > 255) return 'A server name has at most 255 characters.';
  const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(name);
  const host = match?.[1] ?? '';
  const port = match?.[2];
  if (match === null)
    return 'Only one colon is allowed, before the port; an IPv6 address stands in brackets.';
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    return 'After the colon comes a port of one to five digits.';
  if (port !== undefined && Number(port) > 65_535) return 'A port is at most 65535.';
  if (host === '') return 'The host before the port is missing.';
  if (host.startsWith('['))
    return /^\[[0-9a-f:.]{2,45}\]$/i.test(host) ? null : 'Between the brackets stands an IPv6 address.';
  if (!/^[0-9a-z.-]+$/i.test(host))
    return 'A host has only letters, digits, dots and hyphens; write other scripts as xn--….';
  return null;
}
