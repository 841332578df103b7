import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

import { Deadline } from '../../base/deadline.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import {
  connectJudged,
  judgedAddresses,
  type Guard,
  observedPhase,
  type OutboundObserver,
} from './guarded-connect.js';
import { createTrust, secureConnection, type TrustOptions } from './secure-connect.js';

/** One agent for each scheme, for a client library that makes its own requests. */
export interface AgentPair {
  http: http.Agent;
  https: https.Agent;
}

/** How a client library reaches other servers: every connection passes the address guard. */
export interface OutboundRoute {
  agents: AgentPair;
  /** Agents that do the same and report each phase, for a request that an operator watches. */
  observedBy(observe: OutboundObserver): AgentPair;
  /** Puts a request on one of these agents. */
  request: (url: URL, options: https.RequestOptions) => http.ClientRequest;
}

export interface RouteOptions extends Guard, TrustOptions {
  /** Limit for each address; the whole of connect and TLS handshake may take three times as long. */
  connectTimeoutMs: number;
}

/** Where Node wants a connection. */
export interface ConnectionRequest {
  host?: string | null | undefined;
  port?: string | number | null | undefined;
  socketPath?: string | undefined;
  servername?: string | undefined;
}

/** Makes one connection; what it rejects with reaches the request as `error` event. */
export type Connect = (request: ConnectionRequest, isSecure: boolean) => Promise<Duplex>;

type Created = (error: Error | null, stream?: Duplex) => void;

export const LIMIT_FACTOR = 3;

/** Agents whose every connection is made by `connect`: they keep none and resume no TLS session. */
export function agentsOf(connect: Connect): AgentPair {
  const creating = (isSecure: boolean) => ({
    createConnection: (request: ConnectionRequest, created: Created): void =>
      void connect(request, isSecure).then(
        (socket) => created(null, socket),
        (error: unknown) => created(error instanceof Error ? error : new Error('connection failed')),
      ),
  });
  return {
    http: Object.assign(new http.Agent({ keepAlive: false }), creating(false)),
    https: Object.assign(new https.Agent({ keepAlive: false, maxCachedSessions: 0 }), creating(true)),
  };
}

/** The host of a request, without the brackets of an IPv6 address. */
export function bareHost({ host }: ConnectionRequest): string {
  return (host ?? '').replace(/^\[|\]$/g, '');
}

/** A request to the origin itself. The agent among the options is what makes the connection. */
export function directRequest(url: URL, options: https.RequestOptions): http.ClientRequest {
  return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
}

/**
 * Judges the address at connect time, connects to exactly what was judged, keeps no connection and resumes no TLS
 * session.
 */
export function directRoute(options: RouteOptions): OutboundRoute {
  const trust = createTrust(options);
  const { resolver, connectTimeoutMs } = options;
  const connecting =
    (observe?: OutboundObserver): Connect =>
    async (request, isSecure) => {
      if (request.socketPath !== undefined)
        throw outboundError('address_blocked', 'local sockets are not allowed');
      const host = bareHost(request);
      const port = Number(request.port);
      const addresses = await observedPhase(observe, 'address', {
        run: () => judgedAddresses(host, options),
        detail: (found) => ({ addresses: found.map(({ address }) => address).join(' ') }),
      });
      const deadline = new Deadline(LIMIT_FACTOR * connectTimeoutMs);
      try {
        const socket = await observedPhase(observe, 'connect', {
          run: () => connectJudged(addresses, port, { deadline, connectTimeoutMs }),
          detail: (connected) => ({ address: connected.remoteAddress ?? '', port }),
        });
        if (!isSecure) return socket;
        // Node leaves the name empty for addresses and takes it from the Host header otherwise.
        const tlsName = request.servername || host;
        const secure = await observedPhase(observe, 'tls', {
          run: () => secureConnection(socket, { trust, tlsName, deadline }),
          detail: (secured) => ({ tlsVersion: secured.socket.getProtocol() ?? 'unknown', tlsName }),
        });
        return secure.socket;
      } catch (error) {
        // A host that moved must be found at its new address by the next request.
        resolver.forget(host);
        throw error;
      } finally {
        deadline.close();
      }
    };
  const observedBy = (observe: OutboundObserver): AgentPair => agentsOf(connecting(observe));
  return { agents: agentsOf(connecting()), observedBy, request: directRequest };
}
