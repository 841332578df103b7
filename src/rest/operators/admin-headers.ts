import type { ServerResponse } from 'node:http';

/** What holds for every answer of the operators' side; the page itself replaces the policy. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** No other site may read, frame or keep anything of the operators' side: what clients get (CORS) is taken back. */
export function setAdminHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) {
    if (name.startsWith('access-control-')) response.removeHeader(name);
  }
  for (const [name, value] of HEADERS) response.setHeader(name, value);
}

/**
 * The policy of the page: nothing from anywhere else, style tags only with the nonce of this answer. Mantine also
 * sets style attributes. There is no upgrade of insecure requests, so that plain http works on this machine.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}
