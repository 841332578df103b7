import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

/** One agent for each scheme, for a client library that makes its own requests. */
export interface AgentPair {
  http: http.Agent;
  https: https.Agent;
}

/** Where Node wants a connection. */
export interface ConnectionRequest {
  host?: string | null | undefined;
  port?: string | number | null | undefined;
  socketPath?: string | undefined;
  servername?: string | undefined;
}

/** Makes one connection; what it rejects with reaches the request as `error` event. */
export type Connect = (request: ConnectionRequest) => Promise<Duplex>;

type Created = (error: Error | null, stream: Duplex) => void;

/** Agents whose every connection is made by `connect`: they keep none and resume no TLS session. */
export function connectingAgents(connect: { plain: Connect; secure: Connect }): AgentPair {
  return { http: new ConnectingHttpAgent(connect.plain), https: new ConnectingHttpsAgent(connect.secure) };
}

/** The host of a request, without the brackets of an IPv6 address. */
export function bareHost({ host }: ConnectionRequest): string {
  return (host ?? '').replace(/^\[|\]$/g, '');
}

class ConnectingHttpAgent extends http.Agent {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    super({ keepAlive: false });
    this.#connect = connect;
  }

  override createConnection(request: ConnectionRequest, created?: Created): undefined {
    report(this.#connect(request), created);
  }
}

class ConnectingHttpsAgent extends https.Agent {
  readonly #connect: Connect;

  constructor(connect: Connect) {
    super({ keepAlive: false, maxCachedSessions: 0 });
    this.#connect = connect;
  }

  override createConnection(request: ConnectionRequest, created?: Created): undefined {
    report(this.#connect(request), created);
  }
}

function report(connection: Promise<Duplex>, created: Created | undefined): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- with an error Node looks at no second argument
  const failed = created as ((error: Error) => void) | undefined;
  connection.then(
    (socket) => created?.(null, socket),
    (error: unknown) => failed?.(error instanceof Error ? error : new Error('connection failed')),
  );
}
