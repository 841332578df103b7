import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type tls from 'node:tls';

import { Deadline } from '../deadline.js';
import type { Guard } from './guarded-connect.js';
import { connectJudged, judgedAddresses } from './guarded-connect.js';
import { outboundError } from '../outbound-error.js';
import type { TrustOptions } from './secure-connect.js';
import { createTrust, secureConnection } from './secure-connect.js';

/** Settings of both agents. */
export interface GuardedAgentOptions extends Guard, TrustOptions {
  /** Limit for each address; the whole of connect and TLS handshake may take three times as long. */
  connectTimeoutMs: number;
}

/** Agents for a client library that makes its own requests: every connection passes the address guard. */
export interface GuardedAgents {
  http: http.Agent;
  https: https.Agent;
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
  return { http: new GuardedHttpAgent(options), https: new GuardedHttpsAgent(options) };
}

class GuardedHttpAgent extends http.Agent {
  readonly #options: GuardedAgentOptions;

  constructor(options: GuardedAgentOptions) {
    super({ keepAlive: false });
    this.#options = options;
  }

  override createConnection(wish: ConnectionWish, created?: Created): undefined {
    report(connect(wish, this.#options, null), created);
  }
}

class GuardedHttpsAgent extends https.Agent {
  readonly #options: GuardedAgentOptions;
  readonly #trust: tls.SecureContext;

  constructor(options: GuardedAgentOptions) {
    super({ keepAlive: false, maxCachedSessions: 0 });
    this.#options = options;
    this.#trust = createTrust(options);
  }

  override createConnection(wish: ConnectionWish, created?: Created): undefined {
    report(connect(wish, this.#options, this.#trust), created);
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

async function connect(
  wish: ConnectionWish,
  options: GuardedAgentOptions,
  trust: tls.SecureContext | null,
): Promise<Duplex> {
  if (wish.socketPath !== undefined)
    throw outboundError('address_blocked', 'local sockets are never connected to');
  const host = (wish.host ?? '').replace(/^\[|\]$/g, '');
  const addresses = await judgedAddresses(host, options);
  const deadline = new Deadline(LIMIT_FACTOR * options.connectTimeoutMs);
  try {
    const limits = { deadline, connectTimeoutMs: options.connectTimeoutMs };
    const socket = await connectJudged(addresses, Number(wish.port), limits);
    // Node leaves the name empty for addresses and takes it from the Host header otherwise.
    const tlsName = wish.servername === undefined || wish.servername === '' ? host : wish.servername;
    if (trust === null) return socket;
    return (await secureConnection(socket, { trust, tlsName, deadline })).socket;
  } finally {
    deadline.close();
  }
}
