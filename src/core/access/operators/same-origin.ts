import { isLoopbackName } from '../../net/address/ip-address.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { AdminRequest } from './viewer.js';

/** What of the configuration decides under which addresses the operators' side may be used. */
export interface SameOriginOptions {
  /** Setting admin.public_url; `null` without. */
  publicUrl: string | null;
  /** Whether the listener itself speaks TLS. */
  tls: boolean;
  /** Whether a proxy in front, which need not keep the Host header, sends every request; setting x_forwarded. */
  behindProxy: boolean;
}

type Headers = AdminRequest['headers'];

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/**
 * Cross-site defence of the operators' side. A request has to be meant for an address of ours, or a name that an
 * attacker points at this machine would count as the same origin. One that changes something has to be JSON and to
 * come from our own pages; the cookie is `SameSite=Strict` on top. API tokens in a header need neither.
 */
export class SameOrigin {
  readonly #publicOrigin: URL | null;

  constructor(private readonly options: SameOriginOptions) {
    this.#publicOrigin = options.publicUrl === null ? null : new URL(new URL(options.publicUrl).origin);
  }

  /** The origin the browser sees, such as `https://operators.example.org`; `null` for a name that is none of ours. */
  originOf(headers: Headers): string | null {
    const host = textOf(headers['host']);
    const own = this.#publicOrigin;
    if (own !== null && this.options.behindProxy) return own.origin;
    const scheme = this.options.tls ? 'https' : 'http';
    const stated = parseOrigin(scheme, host);
    if (stated === null) return null;
    // A proxy that ends TLS keeps the name, while the scheme is not ours to see.
    if (own !== null && isSameHost(own, host)) return own.origin;
    return isLoopbackName(stated.hostname) ? stated.origin : null;
  }

  /** Throws 403 `csrf_blocked` unless the request may use the session's cookie. */
  check({ method, headers }: Pick<AdminRequest, 'method' | 'headers'>): void {
    const origin = this.originOf(headers);
    if (origin === null) throw blocked('The web UI is not served under this address');
    const site = textOf(headers['sec-fetch-site']);
    if (SAFE_METHODS.has(method)) {
      if (site === null || site === 'same-origin' || site === 'none') return;
      throw blocked('The request comes from another site');
    }
    if (method !== 'DELETE' || headers['content-type'] !== undefined) requireJson(headers);
    if (site === null ? textOf(headers['origin']) === origin : site === 'same-origin') return;
    throw blocked('The request comes from another site');
  }

  /** The same for a request with an API token: it has to be JSON, and must not come with any cookie. */
  checkToken({ method, headers }: Pick<AdminRequest, 'method' | 'headers'>): void {
    if (headers['cookie'] !== undefined) throw blocked('An API token and a cookie cannot be used together');
    if (!SAFE_METHODS.has(method)) requireJson(headers);
  }
}

function requireJson(headers: Headers): void {
  if (JSON_TYPE.test(textOf(headers['content-type']) ?? '')) return;
  throw blocked('The content type has to be application/json');
}

function isSameHost(own: URL, host: string | null): boolean {
  return parseOrigin(own.protocol.slice(0, -1), host)?.host === own.host;
}

const HOST = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function parseOrigin(scheme: string, host: string | null): URL | null {
  const text = `${scheme}://${host ?? ''}`;
  return host !== null && HOST.test(host) && URL.canParse(text) ? new URL(text) : null;
}

/** A header that came once; Node joins what came more often, which then is nothing we know. */
function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function blocked(message: string): ApiError {
  return new ApiError(403, message, { errcode: 'M_FORBIDDEN', reason: 'csrf_blocked' });
}
