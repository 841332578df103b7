import type { Duplex } from 'node:stream';

import { Deadline } from '../../base/deadline.js';
import { bareHost, connectingAgents, type AgentPair, type ConnectionRequest } from './connecting-agents.js';
import { connectJudged, judgedAddresses, type Guard } from './guarded-connect.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { observedPhase, type OutboundObserver } from './observed-phase.js';
import { createTrust, secureConnection, type Trust, type TrustOptions } from './secure-connect.js';

/** Settings of both agents. */
export interface GuardedAgentOptions extends Guard, TrustOptions {
  /** Limit for each address; the whole of connect and TLS handshake may take three times as long. */
  connectTimeoutMs: number;
}

/** Agents for a client library that makes its own requests: every connection passes the address guard. */
export interface GuardedAgents extends AgentPair {
  /** Agents that do the same and tell how; for a request that somebody watches. */
  observedBy(observe: OutboundObserver): AgentPair;
}

const LIMIT_FACTOR = 3;

/**
 * Agents that judge the address at connect time, connect to exactly what was judged, keep no connection and
 * resume no TLS session. Refusals reach the request as `error` events carrying the `ApiError`.
 */
export function createGuardedAgents(options: GuardedAgentOptions): GuardedAgents {
  const trust = createTrust(options);
  const pair = (observe?: OutboundObserver): AgentPair =>
    connectingAgents({
      plain: (request) => connect(request, { options, trust: null, observe }),
      secure: (request) => connect(request, { options, trust, observe }),
    });
  return { ...pair(), observedBy: pair };
}

interface Connecting {
  options: GuardedAgentOptions;
  /** `null`: no TLS. */
  trust: Trust | null;
  observe: OutboundObserver | undefined;
}

async function connect(request: ConnectionRequest, { options, trust, observe }: Connecting): Promise<Duplex> {
  if (request.socketPath !== undefined)
    throw outboundError('address_blocked', 'local sockets are never connected to');
  const host = bareHost(request);
  const addresses = await observedPhase(observe, 'address', {
    run: () => judgedAddresses(host, options),
    detail: (found) => ({ addresses: found.map(({ address }) => address).join(' ') }),
  });
  const deadline = new Deadline(LIMIT_FACTOR * options.connectTimeoutMs);
  try {
    const limits = { deadline, connectTimeoutMs: options.connectTimeoutMs };
    const socket = await observedPhase(observe, 'connect', {
      run: () => connectJudged(addresses, Number(request.port), limits),
      detail: (connected) => ({ address: connected.remoteAddress ?? '', port: Number(request.port) }),
    });
    // Node leaves the name empty for addresses and takes it from the Host header otherwise.
    const tlsName = request.servername === undefined || request.servername === '' ? host : request.servername;
    if (trust === null) return socket;
    const secure = await observedPhase(observe, 'tls', {
      run: () => secureConnection(socket, { trust, tlsName, deadline }),
      detail: (secured) => ({ tlsVersion: secured.socket.getProtocol() ?? 'unknown', tlsName }),
    });
    return secure.socket;
  } catch (error) {
    // A host that moved must be found at its new address by the next request.
    options.resolver.forget(host);
    throw error;
  } finally {
    deadline.close();
  }
}
