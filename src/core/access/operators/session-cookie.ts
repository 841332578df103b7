import { isLoopbackName } from '../../net/address/ip-address.js';
import type { AdminRequest } from './viewer.js';

/** Browsers keep a cookie of this prefix to the host, the path `/` and https (RFC 6265bis, 4.1.3.2). */
const SECURE_NAME = '__Host-vidimus_session';
/** Over plain http, on this machine alone, the prefix is not possible. */
const PLAIN_NAME = 'vidimus_session';
const SECRET = /^[\w-]{43}$/;

/**
 * The value of the session's cookie; `null` when there is none of the right form, or more than one. The plain name
 * counts only in requests to a loopback name: elsewhere a neighbouring site could have set it.
 */
export function readSessionCookie(headers: AdminRequest['headers']): string | null {
  const { cookie, host } = headers;
  const pairs = (typeof cookie === 'string' ? cookie : '').split(';').map((pair) => pair.trim());
  const hostname = typeof host === 'string' ? host.replace(/:\d{1,5}$/, '') : '';
  return valueOf(pairs, SECURE_NAME) ?? (isLoopbackName(hostname) ? valueOf(pairs, PLAIN_NAME) : null);
}

function valueOf(pairs: readonly string[], name: string): string | null {
  const [value, ...further] = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return value !== undefined && further.length === 0 && SECRET.test(value) ? value : null;
}

/** `Set-Cookie` that hands a session's secret to the browser. It ends with the browser at the latest. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return isSecure
    ? `${SECURE_NAME}=${secret}; Path=/; HttpOnly; SameSite=Strict; Secure`
    : `${PLAIN_NAME}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
}

/** `Set-Cookie` that takes it away again. */
export function endedCookie(isSecure: boolean): string {
  return `${sessionCookie('', isSecure)}; Max-Age=0`;
}
