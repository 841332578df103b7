import type net from 'node:net';

import type { Client } from '../../base/client.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Deadline } from '../../base/deadline.js';
import { bodyStart } from '../../base/text/body-start.js';
import {
  type AddressGate,
  connectJudged,
  judgedAddresses,
  type Guard,
  observedPhase,
  type OutboundObserver,
} from './guarded-connect.js';
import { boundedGet, type BoundedGetResult } from './bounded-get.js';
import type { ResolvedAddress } from '../dns/system-files.js';
import {
  connectionFacts,
  createTrust,
  secureConnection,
  type ConnectionFacts,
  type SecureConnection,
  type Trust,
  type TrustOptions,
} from './secure-connect.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { parseUrl } from '../../base/text/parse-url.js';

/** Settings of the client. */
export interface SafeHttpClientOptions extends Guard, TrustOptions {
  connectTimeoutMs: number;
  userAgent: string;
  /** Limits connections by their address; absent: no limit. */
  gate?: AddressGate | undefined;
}

/** One https GET. */
export interface OutboundRequest {
  /** Name or address (no brackets) to connect to. */
  host: string;
  port: number;
  hostHeader: string;
  /** What the certificate must be for; may differ from `host`. */
  tlsName: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  maxBodyBytes: number;
  deadline: Deadline;
  looksAtRefused?: boolean;
  /** On whose behalf names are looked up and connections opened. */
  client?: Client | undefined;
  /** Whether the server that is asked for has answered before. */
  isKnown?: boolean | undefined;
  /** Whether most servers have nothing at this port. */
  isOptional?: boolean;
  observe?: OutboundObserver;
}

/** An answer and the connection that brought it. */
export interface OutboundResponse extends BoundedGetResult {
  connection: ConnectionFacts;
}

/** A connection whose peer has proved to be the one asked for, and what was seen of it. */
interface OpenConnection extends SecureConnection {
  facts: ConnectionFacts;
  close(): void;
}

/** What fails only after a head has come. */
const AFTER_HEAD: ReadonlySet<string | null> = new Set([
  'body_cut',
  'http_encoding',
  'timeout_body',
  'too_large',
]);

/** A handshake takes more round trips, and work on the other side, than a connect. */
const HANDSHAKE_FACTOR = 2;

/**
 * The one way out over https: address judged and connected to as judged, certificate verified on this
 * connection, answer bounded in time and bytes. Each request has a connection of its own and resumes no TLS session. Redirects are returned, not followed.
 */
export class SafeHttpClient {
  readonly #options: SafeHttpClientOptions;
  readonly #trust: Trust;

  constructor(options: SafeHttpClientOptions) {
    this.#options = options;
    this.#trust = createTrust(options);
  }

  /** @throws ApiError whose reason is one of `OutboundReason`. */
  async fetchBounded(request: OutboundRequest): Promise<OutboundResponse> {
    const { deadline, host, client } = request;
    const addresses = await observedPhase(request.observe, 'address', {
      run: () => deadline.race(judgedAddresses(host, this.#options, client), 'dns_timeout', host),
      detail: (found) => ({ addresses: found.map(({ address }) => address).join(' ') }),
    });
    try {
      return await this.#fetchAt(addresses, request);
    } catch (error) {
      // A host that moved must be found at its new address by the next request.
      this.#options.resolver.forget(request.host);
      throw error;
    }
  }

  async #fetchAt(addresses: readonly ResolvedAddress[], request: OutboundRequest): Promise<OutboundResponse> {
    const { observe, port, deadline, client, isKnown = false, isOptional = false } = request;
    const { gate, connectTimeoutMs } = this.#options;
    const enter =
      gate && ((address: string) => gate.enter(address, { client, deadline, isKnown, isOptional }));
    const socket = await observedPhase(observe, 'connect', {
      run: () => connectJudged(addresses, port, { deadline, connectTimeoutMs, enter }),
      detail: (connected) => ({ address: connected.remoteAddress ?? '', port }),
    });
    const connection = await observedPhase(observe, 'tls', {
      run: () => this.#secure(socket, request),
      detail: ({ facts }) => tlsDetail(facts),
    });
    return this.#ask(connection, request);
  }

  async #ask(connection: OpenConnection, request: OutboundRequest): Promise<OutboundResponse> {
    const headers = { 'User-Agent': this.#options.userAgent, ...request.headers };
    const { facts } = connection;
    try {
      const result = await observedPhase(request.observe, 'response', {
        run: () => boundedGet(connection.socket, { ...request, headers }),
        detail: responseDetail,
      });
      this.#options.gate?.answered(facts.address);
      return { ...result, connection: facts };
    } catch (error) {
      if (error instanceof ApiError && AFTER_HEAD.has(error.reason))
        this.#options.gate?.answered(facts.address);
      throw error;
    } finally {
      connection.close();
    }
  }

  async #secure(socket: net.Socket, { tlsName, deadline }: OutboundRequest): Promise<OpenConnection> {
    const limit = deadline.within(HANDSHAKE_FACTOR * this.#options.connectTimeoutMs);
    try {
      const secured = await secureConnection(socket, { trust: this.#trust, tlsName, deadline: limit });
      const close = (): void => {
        secured.socket.destroy();
        socket.destroy();
      };
      return { ...secured, facts: connectionFacts(secured), close };
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      limit.close();
    }
  }
}

function tlsDetail(facts: ConnectionFacts): Record<string, string | number> {
  return {
    tlsVersion: facts.tlsVersion,
    certificateSha256: facts.certificateSha256,
    certificateNames: facts.certificateNames.join(' '),
    certificateValidToTs: facts.certificateValidToTs,
  };
}

function responseDetail(result: BoundedGetResult): Record<string, string | number> {
  return {
    status: result.status,
    bytes: result.body.length,
    contentType: (result.headers.get('content-type') ?? '').slice(0, 200),
    ...(result.status === 200 || result.body.length === 0 ? {} : { body: bodyStart(result.body) }),
  };
}

export interface FollowOptions extends Omit<OutboundRequest, keyof Hop> {
  /** The first hop, which need not be what its URL says (another port, say). */
  first: Hop;
  maxRedirects: number;
}

type Hop = Pick<OutboundRequest, 'host' | 'port' | 'hostHeader' | 'tlsName' | 'path'>;

const HTTPS_PORT = 443;
const MAX_LOCATION_LENGTH = 8192;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects over https only; the address guard and the certificate check hold anew for each hop.
 * The headers given go to every hop, so they must hold no secrets.
 * @throws ApiError `http_redirect` for too many hops, another scheme or an unusable target, and all of
 * `SafeHttpClient.fetchBounded`.
 */
export async function fetchFollowing(
  httpClient: SafeHttpClient,
  options: FollowOptions,
): Promise<OutboundResponse> {
  const { first, maxRedirects, ...common } = options;
  let hop = first;
  for (let followed = 0; ; followed += 1) {
    const response = await httpClient.fetchBounded({ ...common, ...hop });
    if (!REDIRECTS.has(response.status)) return response;
    if (followed >= maxRedirects) throw outboundError('http_redirect', `more than ${maxRedirects} redirects`);
    hop = nextHop(response.headers.get('location') ?? '', hop);
  }
}

function nextHop(location: string, from: Hop): Hop {
  if (location === '' || location.length > MAX_LOCATION_LENGTH) {
    throw outboundError('http_redirect', 'redirect without a usable Location');
  }
  const base = `https://${from.hostHeader}${from.path}`;
  const url = parseUrl(location, base);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw outboundError('http_redirect', 'redirect to something that is not a plain https address');
  }
  // A redirect within the same site stays on the port that was connected to.
  if (url.host === new URL(base).host) return { ...from, path: url.pathname + url.search };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port === 0) throw outboundError('http_redirect', 'redirect to port 0');
  return { host, port, hostHeader: url.host, tlsName: host, path: url.pathname + url.search };
}
