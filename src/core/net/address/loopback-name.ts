/**
 * Whether a host name or address, as in a URL or a bind address, always means this machine: `localhost`, names
 * below it (RFC 6761, 6.3), 127.0.0.0/8 and ::1. Names that merely resolve to such an address do not count.
 */
export function isLoopbackName(host: string): boolean {
  if (host === '::1' || host === '[::1]') return true;
  return /^(?:[a-z0-9-]+\.)*localhost$/i.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}
