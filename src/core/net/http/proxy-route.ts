import http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';

import { isIpLiteral } from '../address/ip-address.js';
import { Deadline } from '../../base/deadline.js';
import { blockedLiteral, outboundError } from '../../base/errors/outbound-error.js';
import {
  bareHost,
  connectingAgents,
  type AgentPair,
  type Connect,
  type ConnectionRequest,
} from './connecting-agents.js';
import { directRequest, type MakeRequest } from './direct-request.js';
import type { GuardedAgents } from './guarded-agents.js';
import { connectJudged, type Guard } from './guarded-connect.js';
import { observedPhase, type OutboundObserver } from './observed-phase.js';
import { openTunnel } from './proxy-tunnel.js';
import { createTrust, secureConnection, type Trust, type TrustOptions } from './secure-connect.js';

/** Settings of a route through a proxy. */
export interface ProxyRouteOptions extends Guard, TrustOptions {
  /** `http` or `https`, with credentials where the proxy wants them. */
  proxyUrl: URL;
  /** Limit for connecting to the proxy; with tunnel and TLS handshake it may take three times as long. */
  connectTimeoutMs: number;
}

/** What a client library needs to send all its requests through the proxy. */
export interface ProxyRoute {
  agents: GuardedAgents;
  /** Replaces `http.request`: plain requests name their whole address to a proxy (RFC 9112 §3.2.2). */
  request: MakeRequest;
}

const LIMIT_FACTOR = 3;

/**
 * A route on which the proxy resolves names and so must refuse private ones itself. Literals are judged here all
 * the same, names of this machine are refused, and nothing ever goes around the proxy. The proxy's own address is
 * exempt from the policy, but only as proxy.
 */
export function createProxyRoute(options: ProxyRouteOptions): ProxyRoute {
  const trust = createTrust(options);
  const authorization = proxyAuthorization(options.proxyUrl);
  const plain: Connect = (request) => throughProxy(request, options, async (socket) => socket);
  const tunnelled: Connect = (request) =>
    throughProxy(request, options, async (socket, deadline) => {
      const host = bareHost(request);
      const authority = `${host.includes(':') ? `[${host}]` : host}:${Number(request.port)}`;
      const tunnel = await openTunnel(socket, { authority, headers: authorization, deadline });
      return (await secureConnection(tunnel, { trust, tlsName: host, deadline })).socket;
    });
  const pair = (observe?: OutboundObserver): AgentPair =>
    connectingAgents({
      plain: observed(plain, options.proxyUrl, observe),
      secure: observed(tunnelled, options.proxyUrl, observe),
    });
  return {
    agents: { ...pair(), observedBy: pair },
    request: (url, request) => {
      if (url.protocol === 'https:') return directRequest(url, request);
      const outgoing = http.request(url, { ...request, path: url.href });
      for (const [name, value] of Object.entries(authorization)) outgoing.setHeader(name, value);
      return outgoing;
    },
  };

  async function throughProxy(
    request: ConnectionRequest,
    { policy }: Guard,
    use: (socket: net.Socket, deadline: Deadline) => Promise<Duplex>,
  ): Promise<Duplex> {
    refuseInside(bareHost(request), policy);
    const deadline = new Deadline(LIMIT_FACTOR * options.connectTimeoutMs);
    try {
      return await use(await connectToProxy(options, trust, deadline), deadline);
    } finally {
      deadline.close();
    }
  }
}

/** The proxy resolves names and connects on its own: for us it is one phase. */
function observed(connect: Connect, proxyUrl: URL, observe: OutboundObserver | undefined): Connect {
  if (observe === undefined) return connect;
  return (request) =>
    observedPhase(observe, 'connect', {
      run: () => connect(request),
      detail: () => ({ proxy: proxyUrl.host }),
    });
}

async function connectToProxy(
  options: ProxyRouteOptions,
  trust: Trust,
  deadline: Deadline,
): Promise<net.Socket> {
  const { proxyUrl, resolver, connectTimeoutMs } = options;
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

const INSIDE = /(?:^|\.)(?:localhost|localdomain|ip6-localhost|ip6-loopback)\.?$/i;

function refuseInside(host: string, policy: Guard['policy']): void {
  if (isIpLiteral(host)) {
    const why = policy.whyBlocked(host);
    if (why !== null) throw blockedLiteral(host, why);
  } else if (INSIDE.test(host)) {
    throw outboundError('address_blocked', `${host} names this machine`);
  }
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
