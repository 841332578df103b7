import http from 'node:http';
import https from 'node:https';
import type net from 'node:net';
import type { Duplex } from 'node:stream';

import { Deadline, abortable } from '../../base/deadline.js';
import { outboundError, blockedLiteral, toOutboundError } from '../../base/errors/outbound-error.js';
import {
  connectJudged,
  failOnClose,
  judgedAddresses,
  observedPhase,
  type Guard,
  type OutboundObserver,
} from './guarded-connect.js';
import { createTrust, secureConnection, type TrustOptions, type Trust } from './secure-connect.js';
import { isIpLiteral } from '../address/ip-address.js';
import { withFamily } from '../dns/system-files.js';
import { MAX_HEADER_BYTES } from './safe-http-client.js';

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
interface ConnectionRequest {
  host?: string | null | undefined;
  port?: string | number | null | undefined;
  socketPath?: string | undefined;
  servername?: string | undefined;
}

/** Makes one connection; what it rejects with reaches the request as `error` event. */
type Connect = (
  request: ConnectionRequest,
  isSecure: boolean,
  observe: OutboundObserver | undefined,
) => Promise<Duplex>;

type Created = (error: Error | null, stream?: Duplex) => void;

const LIMIT_FACTOR = 3;

/** Agents whose every connection is made by `connect`: they keep none and resume no TLS session. */
function agentsOf(connect: Connect, observe?: OutboundObserver): AgentPair {
  const creating = (isSecure: boolean) => ({
    createConnection: (request: ConnectionRequest, created: Created): void =>
      void connect(request, isSecure, observe).then(
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
function bareHost({ host }: ConnectionRequest): string {
  return (host ?? '').replace(/^\[|\]$/g, '');
}

/** A request to the origin itself. The agent among the options is what makes the connection. */
function directRequest(url: URL, options: https.RequestOptions): http.ClientRequest {
  return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
}

function routeOf(connect: Connect, request: OutboundRoute['request']): OutboundRoute {
  return { agents: agentsOf(connect), observedBy: (observe) => agentsOf(connect, observe), request };
}

/**
 * Judges the address at connect time, connects to exactly what was judged, keeps no connection and resumes no TLS
 * session.
 */
export function directRoute(options: RouteOptions): OutboundRoute {
  const trust = createTrust(options);
  const { resolver, connectTimeoutMs } = options;
  const connect: Connect = async (request, isSecure, observe) => {
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
  return routeOf(connect, directRequest);
}

export interface ProxyRouteOptions extends RouteOptions {
  /** `http` or `https`, with credentials where the proxy wants them. */
  proxyUrl: URL;
}

/**
 * A route on which the proxy resolves names and so must refuse private ones itself. Literals are judged here all
 * the same, names of this machine are refused, and nothing ever goes around the proxy. The proxy's own address is
 * exempt from the policy, but only as proxy.
 */
export function proxyRoute(options: ProxyRouteOptions): OutboundRoute {
  const { proxyUrl, connectTimeoutMs, policy } = options;
  const trust = createTrust(options);
  const authorization = proxyAuthorization(proxyUrl);
  const connect = async (request: ConnectionRequest, isSecure: boolean): Promise<Duplex> => {
    const host = bareHost(request);
    refuseInside(host, policy);
    return Deadline.run(LIMIT_FACTOR * connectTimeoutMs, async (deadline) => {
      const socket = await connectToProxy(options, trust, deadline);
      if (!isSecure) return socket;
      const authority = `${host.includes(':') ? `[${host}]` : host}:${Number(request.port)}`;
      await openTunnel(socket, { authority, headers: authorization, deadline });
      return (await secureConnection(socket, { trust, tlsName: host, deadline })).socket;
    });
  };
  // The proxy resolves names and connects on its own: for us it is one phase.
  const observed: Connect = (request, isSecure, observe) =>
    observedPhase(observe, 'connect', {
      run: () => connect(request, isSecure),
      detail: () => ({ proxy: proxyUrl.host }),
    });
  // Plain requests name their whole address to a proxy (RFC 9112 §3.2.2).
  return routeOf(observed, (url, request) => {
    if (url.protocol === 'https:') return directRequest(url, request);
    const outgoing = http.request(url, { ...request, path: url.href });
    for (const [name, value] of Object.entries(authorization)) outgoing.setHeader(name, value);
    return outgoing;
  });
}

async function connectToProxy(
  { proxyUrl, resolver, connectTimeoutMs }: ProxyRouteOptions,
  trust: Trust,
  deadline: Deadline,
): Promise<net.Socket> {
  const host = proxyUrl.hostname.replace(/^\[|\]$/g, '');
  const isSecure = proxyUrl.protocol === 'https:';
  const port = Number(proxyUrl.port || (isSecure ? 443 : 80));
  const { addresses } = isIpLiteral(host) ? { addresses: [withFamily(host)] } : await resolver.lookup(host);
  if (addresses.length === 0) throw outboundError('host_unreachable', `proxy ${host} has no address`);
  try {
    const socket = await connectJudged(addresses, port, { deadline, connectTimeoutMs });
    if (!isSecure) return socket;
    return (await secureConnection(socket, { trust, tlsName: host, deadline })).socket;
  } catch (error) {
    // A proxy that moved must be found at its new address by the next request.
    resolver.forget(host);
    throw error;
  }
}

/**
 * Asks the proxy at the other end of the socket for a tunnel (RFC 9110 §9.3.6); the socket then speaks with the
 * server. It is destroyed on failure.
 * @throws ApiError `host_unreachable` when the proxy refuses, `connection_reset`, `bad_http` or `timeout_connect`.
 */
function openTunnel(
  socket: net.Socket,
  to: { authority: string; headers: Record<string, string>; deadline: Deadline },
): Promise<void> {
  const { authority, headers, deadline } = to;
  return abortable<void>(deadline, (resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'bad_http'));
    };
    const request = http.request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      setHost: false,
      headers: { Host: authority, ...headers },
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.on('error', fail);
    const hasAnswered = failOnClose(request, fail, ['connection_reset', 'proxy closed the connection']);
    request.once('connect', ({ statusCode = 0 }, _socket, early) => {
      hasAnswered();
      if (statusCode < 200 || statusCode > 299)
        fail(outboundError('host_unreachable', `proxy answered ${statusCode}`));
      // Nothing may come before our own first byte: it would be taken for the server's.
      else if (early.length > 0) fail(outboundError('bad_http', 'proxy sent unexpected bytes'));
      else resolve();
    });
    request.end();
    return () => fail(deadline.error('timeout_connect', `tunnel to ${authority}`));
  });
}

const INSIDE = /(?:^|\.)(?:localhost|localdomain|ip6-localhost|ip6-loopback)\.?$/i;

function refuseInside(host: string, policy: Guard['policy']): void {
  const why = isIpLiteral(host) ? policy.whyBlocked(host) : null;
  if (why !== null) throw blockedLiteral(host, why);
  if (INSIDE.test(host)) throw outboundError('address_blocked', `${host} names this machine`);
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
