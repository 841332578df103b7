import http from 'node:http';
import type net from 'node:net';

import { abortable, Deadline } from '../../base/deadline.js';
import { blockedLiteral, outboundError, toOutboundError } from '../../base/errors/outbound-error.js';
import { isIpLiteral } from '../address/ip-address.js';
import {
  agentsOf,
  bareHost,
  directRequest,
  LIMIT_FACTOR,
  type Connect,
  type OutboundRoute,
  type RouteOptions,
} from './agents.js';
import { MAX_HEADER_BYTES } from './safe-http-client.js';
import { connectJudged, type Guard, observedPhase, type OutboundObserver } from './guarded-connect.js';
import { createTrust, secureConnection, type Trust } from './secure-connect.js';

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
  const connect: Connect = async (request, isSecure) => {
    const host = bareHost(request);
    refuseInside(host, policy);
    const deadline = new Deadline(LIMIT_FACTOR * connectTimeoutMs);
    try {
      const socket = await connectToProxy(options, trust, deadline);
      if (!isSecure) return socket;
      const authority = `${host.includes(':') ? `[${host}]` : host}:${Number(request.port)}`;
      await openTunnel(socket, { authority, headers: authorization, deadline });
      return (await secureConnection(socket, { trust, tlsName: host, deadline })).socket;
    } finally {
      deadline.close();
    }
  };
  // The proxy resolves names and connects on its own: for us it is one phase.
  const observed =
    (observe: OutboundObserver): Connect =>
    (request, isSecure) =>
      observedPhase(observe, 'connect', {
        run: () => connect(request, isSecure),
        detail: () => ({ proxy: proxyUrl.host }),
      });
  return {
    agents: agentsOf(connect),
    observedBy: (observe) => agentsOf(observed(observe)),
    // Plain requests name their whole address to a proxy (RFC 9112 §3.2.2).
    request: (url, request) => {
      if (url.protocol === 'https:') return directRequest(url, request);
      const outgoing = http.request(url, { ...request, path: url.href });
      for (const [name, value] of Object.entries(authorization)) outgoing.setHeader(name, value);
      return outgoing;
    },
  };
}

async function connectToProxy(
  { proxyUrl, resolver, connectTimeoutMs }: ProxyRouteOptions,
  trust: Trust,
  deadline: Deadline,
): Promise<net.Socket> {
  const host = proxyUrl.hostname.replace(/^\[|\]$/g, '');
  const isSecure = proxyUrl.protocol === 'https:';
  const port = proxyUrl.port === '' ? (isSecure ? 443 : 80) : Number(proxyUrl.port);
  const { addresses } = isIpLiteral(host)
    ? { addresses: [{ address: host, family: host.includes(':') ? (6 as const) : (4 as const) }] }
    : await resolver.lookup(host);
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
  {
    authority,
    headers,
    deadline,
  }: { authority: string; headers: Record<string, string>; deadline: Deadline },
): Promise<void> {
  return abortable<void>(deadline, (resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(toOutboundError(error, 'bad_http'));
    };
    const closed = (): void => fail(outboundError('connection_reset', 'proxy closed the connection'));
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
    request.once('close', closed);
    request.once('connect', ({ statusCode = 0 }, _socket, early) => {
      request.off('close', closed);
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
