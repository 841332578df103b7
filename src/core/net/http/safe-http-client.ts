import type net from 'node:net';

import type { Client } from '../../base/client.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Deadline } from '../../base/deadline.js';
import { bodyStart } from '../../base/text/body-start.js';
import type { AddressGate } from './address-gate.js';
import { boundedGet, type BoundedGetResult } from './bounded-get.js';
import { connectJudged, judgedAddresses, type Guard } from './guarded-connect.js';
import type { ResolvedAddress } from '../dns/system-files.js';
import { observedPhase, type OutboundObserver } from './observed-phase.js';
import {
  connectionFacts,
  createTrust,
  secureConnection,
  type ConnectionFacts,
  type SecureConnection,
  type Trust,
  type TrustOptions,
} from './secure-connect.js';

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
