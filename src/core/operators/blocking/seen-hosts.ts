import { ApiError } from '../../base/errors/api-error.js';
import { hostOfUrl } from '../../base/text/url-host.js';
import { isIpLiteral } from '../../net/address/ip-address.js';
import type { Resolver } from '../../net/dns/resolver.js';
import type { SeenUrl } from './seen-urls.js';

export interface SeenHostsOptions {
  resolver: Resolver;
  usesProxy: boolean;
  monotonicNowMs: () => number;
}

/** Names that are looked up for one trial, and for how long. */
const MAX_LOOKUPS = 200;
const MAX_LOOKUP_MS = 5000;

/** Network addresses of hosts, each looked up once for all URLs of it. */
export class SeenHosts {
  readonly #known = new Map<string, readonly string[] | null>();
  #lookups = 0;
  readonly #endMs: number;

  constructor(private readonly options: SeenHostsOptions) {
    this.#endMs = options.monotonicNowMs() + MAX_LOOKUP_MS;
  }

  /** `null`: they are not known, since enough names have been looked up or nobody answered. */
  async addressesOf({ url, address }: SeenUrl): Promise<readonly string[] | null> {
    if (address !== null) return [address];
    const host = hostOfUrl(url).replace(/^\[(.*)\]$/, '$1');
    if (host === '' || isIpLiteral(host)) return host === '' ? null : [host];
    const known = this.#known.get(host);
    if (known !== undefined) return known;
    const found = await this.#lookUp(host);
    this.#known.set(host, found);
    return found;
  }

  async #lookUp(host: string): Promise<readonly string[] | null> {
    const { resolver, usesProxy, monotonicNowMs } = this.options;
    if (usesProxy || this.#lookups >= MAX_LOOKUPS || monotonicNowMs() > this.#endMs) return null;
    this.#lookups += 1;
    try {
      return (await resolver.lookup(host)).addresses.map(({ address }) => address);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return null;
    }
  }
}
