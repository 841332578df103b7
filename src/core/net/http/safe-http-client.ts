import type net from 'node:net';

import type { Asker } from '../../base/places/asker.js';
import { connectionFacts, type ConnectionFacts } from './connection-facts.js';
import { ApiError } from '../../base/errors/api-error.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import type { Deadline } from '../../base/deadline.js';
import { bodyStart } from '../../base/text/body-start.js';
import { boundedGet, type BoundedGetResult } from './bounded-get.js';
import { connectJudged, judgedAddresses, type Guard } from './guarded-connect.js';
import type { ResolvedAddress } from '../dns/resolver.js';
import type { ConnectGate, Contacts } from '../places/connect-gate.js';
import type { LentPlace } from '../places/lent-place.js';
import { observedPhase, type OutboundObserver } from './observed-phase.js';
import {
  createTrust,
  secureConnection,
  type SecureConnection,
  type Trust,
  type TrustOptions,
} from './secure-connect.js';

/** Settings of the client. */
export interface SafeHttpClientOptions extends Guard, TrustOptions {
  connectTimeoutMs: number;
  userAgent: string;
  /** Bounds connections by their address; absent: nothing does. */
  gate?: ConnectGate | undefined;
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
  /** On whose behalf names are looked up. */
  asker?: Asker | undefined;
  /** What is told of the addresses that were connected to. */
  contacts?: Contacts | undefined;
  /** What is given back while name servers are waited for; it is taken before a connection is made. */
  place?: LentPlace | undefined;
  observe?: OutboundObserver;
}

/** An answer and the connection that brought it. */
export interface OutboundResponse extends BoundedGetResult {
  connection: ConnectionFacts;
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
 * connection, answer bounded in time and bytes. Each request has a connection of its own and resumes no TLS
 * session. Redirects are returned, not followed.
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
    const { deadline, host, asker, place } = request;
    const addresses = await observedPhase(request.observe, 'address', {
      run: () => {
        const found = deadline.race(judgedAddresses(host, this.#options, asker), 'dns_timeout', host);
        return place?.during(found) ?? found;
      },
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
    const { deadline } = request;
    const enter = (address: string): Promise<() => void> => this.#enter(address, request);
    const socket = await observedPhase(request.observe, 'connect', {
      run: () => connectJudged(addresses, request.port, { ...this.#options, deadline, enter }),
      detail: (connected) => ({ address: connected.remoteAddress ?? '', port: request.port }),
    });
    try {
      return await this.#overSocket(socket, request);
    } finally {
      socket.destroy();
    }
  }

  async #enter(address: string, request: OutboundRequest): Promise<() => void> {
    const { asker, deadline, contacts, place } = request;
    if (place !== undefined && !(await deadline.race(place.take(address), 'address_busy', address)))
      throw outboundError('address_busy', `${address}: no place to fetch from it`);
    const leave = await this.#options.gate?.enter(address, { asker, deadline, rank: place?.rank });
    contacts?.tried(address);
    return leave ?? (() => {});
  }

  async #overSocket(socket: net.Socket, request: OutboundRequest): Promise<OutboundResponse> {
    const secure = await observedPhase(request.observe, 'tls', {
      run: () => this.#secure(socket, request),
      detail: ({ facts }) => tlsDetail(facts),
    });
    const headers = { 'User-Agent': this.#options.userAgent, ...request.headers };
    const { address } = secure.facts;
    try {
      const result = await observedPhase(request.observe, 'response', {
        run: () => boundedGet(secure.socket, { ...request, headers }),
        detail: responseDetail,
      });
      request.contacts?.answered(address);
      return { ...result, connection: secure.facts };
    } catch (error) {
      if (error instanceof ApiError && AFTER_HEAD.has(error.reason)) request.contacts?.answered(address);
      throw error;
    } finally {
      secure.socket.destroy();
    }
  }

  async #secure(
    socket: net.Socket,
    { tlsName, deadline }: OutboundRequest,
  ): Promise<SecureConnection & { facts: ConnectionFacts }> {
    const limit = deadline.within(HANDSHAKE_FACTOR * this.#options.connectTimeoutMs);
    try {
      const secure = await secureConnection(socket, { trust: this.#trust, tlsName, deadline: limit });
      return { ...secure, facts: connectionFacts(secure) };
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
    bytes: result.bodyBytes,
    contentType: (result.headers.get('content-type') ?? '').slice(0, 200),
    ...(result.status === 200 || result.body.length === 0 ? {} : { body: bodyStart(result.body) }),
  };
}
