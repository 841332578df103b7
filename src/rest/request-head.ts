import type { IncomingMessage } from 'node:http';

/** Once, as RFC 9112 §3.2 wants it; in HTTP/1.0 at most once. Node takes the first of several for all. */
export function namesItsHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const hosts = headersDistinct['host']?.length ?? 0;
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** A target in absolute form (RFC 9112, 3.2.2) without scheme and authority; others as they are. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return target;
  const path = target.slice(scheme.length).search(/[/?]/);
  if (path === -1) return '/';
  const rest = target.slice(scheme.length + path);
  return rest.startsWith('?') ? `/${rest}` : rest;
}
