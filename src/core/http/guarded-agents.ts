import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type tls from 'node:tls';

import { Deadline } from '../deadline.js';
import type { Guard } from './guarded-connect.js';
import { connectJudged, judgedAddresses } from './guarded-connect.js';
import { outboundError } from '../outbound-error.js';
import { observedPhase } from './observed-phase.js';
import type { OutboundObserver } from './observed-phase.js';
import type { TrustOptions } from './secure-connect.js';
import { createTrust, secureConnection } from './secure-connect.js';

/** Settings of both agents. */
export interface GuardedAgentOptions extends Guard, TrustOptions {
  /** Limit for each address; the whole of connect and TLS handshake may take three times as long. */
  connectTimeoutMs: number;
}

/** One agent for each scheme. */
export interface AgentPair {
  http: http.Agent;
  https: https.Agent;
}

/** Agents for a client library that makes its own requests: every connection passes the address guard. */
export interface GuardedAgents extends AgentPair {
  /** Agents that do the same and tell how; for a request that somebody watches. */
  observedBy(observe: OutboundObserver): AgentPair;
}

interface ConnectionWish {
  host?: string | null | undefined;
  port?: string | number | null | undefined;
  socketPath?: string | undefined;
  servername?: string | undefined;
}

type Created = (error: Error | null, stream: Duplex) => void;

const LIMIT_FACTOR = 3;

/**
 * Agents that judge the address at connect time, connect to exactly what was judged, keep no connection and
 * resume no TLS session. Refusals reach the request as `error` events carrying the `ApiError`.
 */
export function createGuardedAgents(options: GuardedAgentOptions): GuardedAgents {
  const trust = createTrust(options);
  const pair = (observe?: OutboundObserver): AgentPair => ({
    http: new GuardedHttpAgent((wish) => connect(wish, { options, trust: null, observe })),
    https: new GuardedHttpsAgent((wish) => connect(wish, { options, trust, observe })),
  });
  return { ...pair(), observedBy: pair };
}

type Connect = (wish: ConnectionWish) => Promise<Duplex>;

class GuardedHttpAgent extends http.Agent {
  readonly #connect: Connect;

  constructor(guardedConnect: Connect) {
    super({ keepAlive: false });
    this.#connect = guardedConnect;
  }

  override createConnection(wish: ConnectionWish, created?: Created): undefined {
    report(this.#connect(wish), created);
  }
}

class GuardedHttpsAgent extends https.Agent {
  readonly #connect: Connect;

  constructor(guardedConnect: Connect) {
    super({ keepAlive: false, maxCachedSessions: 0 });
    this.#connect = guardedConnect;
  }

  override createConnection(wish: ConnectionWish, created?: Created): undefined {
    report(this.#connect(wish), created);
  }
}

function report(connection: Promise<Duplex>, created: Created | undefined): void {
  // With an error Node looks at no second argument; its types demand one all the same.
  const failed = created as ((error: Error) => void) | undefined;
  connection.then(
    (socket) => created?.(null, socket),
    (error: unknown) => failed?.(error instanceof Error ? error : new Error('connection failed')),
  );
}

interface Connecting {
  options: GuardedAgentOptions;
  /** `null`: no TLS. */
  trust: tls.SecureContext | null;
  observe: OutboundObserver | undefined;
}

async function connect(wish: ConnectionWish, { options, trust, observe }: Connecting): Promise<Duplex> {
  if (wish.socketPath !== undefined)
    throw outboundError('address_blocked', 'local sockets are never connected to');
  const host = (wish.host ?? '').replace(/^\[|\]$/g, '');
  const addresses = await observedPhase(observe, 'address', {
    run: () => judgedAddresses(host, options),
    detail: (found) => ({ addresses: found.map(({ address }) => address).join(' ') }),
  });
  const deadline = new Deadline(LIMIT_FACTOR * options.connectTimeoutMs);
  try {
    const limits = { deadline, connectTimeoutMs: options.connectTimeoutMs };
    const socket = await observedPhase(observe, 'connect', {
      run: () => connectJudged(addresses, Number(wish.port), limits),
      detail: (connected) => ({ address: connected.remoteAddress ?? '', port: Number(wish.port) }),
    });
    // Node leaves the name empty for addresses and takes it from the Host header otherwise.
    const tlsName = wish.servername === undefined || wish.servername === '' ? host : wish.servername;
    if (trust === null) return socket;
    const secure = await observedPhase(observe, 'tls', {
      run: () => secureConnection(socket, { trust, tlsName, deadline }),
      detail: (secured) => ({ tlsVersion: secured.socket.getProtocol() ?? 'unknown', tlsName }),
    });
    return secure.socket;
  } finally {
    deadline.close();
  }
}
