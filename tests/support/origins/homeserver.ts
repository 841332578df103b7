import http from 'node:http';

import { HomeserverClient } from '../../../src/core/access/users/homeserver-client.js';
import { FairQueue } from '../../../src/core/base/fair-queue.js';
import { listenOnFreshPort } from '../fresh-port.js';

/** What `account/whoami` tells of a token. */
export interface TokenFacts {
  user_id: string;
  is_guest?: boolean;
}

/** A client that asks it, with slots enough for a test. */
export function homeserverClient(url: string): HomeserverClient {
  const queue = new FairQueue({ maxRunning: 100, maxWaiting: 100 });
  return new HomeserverClient(url, queue);
}

interface HomeserverState {
  /** Whether connections are dropped. */
  fail: boolean;
  /** Tokens about which it says nothing. */
  silentAbout: RegExp | null;
  /** The same answer to everybody; `null`: as it knows the token. */
  says: { status: number; body: string } | null;
}

/** A homeserver that knows some access tokens, by the token; `asked` are the questions about them. */
export async function startHomeserver(known: Readonly<Record<string, TokenFacts>>) {
  const asked: string[] = [];
  const state: HomeserverState = { fail: false, silentAbout: null, says: null };
  const server = http.createServer((request, response) => {
    if (request.url === '/_matrix/key/v2/server') {
      response.end('{"server_name":"hs"}');
      return;
    }
    asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    if (state.fail) {
      request.socket.destroy();
      return;
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (state.silentAbout?.test(token) === true) return;
    if (state.says !== null) {
      response.writeHead(state.says.status).end(state.says.body);
      return;
    }
    const facts = known[token];
    response.writeHead(facts === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(facts ?? { errcode: 'M_UNKNOWN_TOKEN', error: 'no', soft_logout: token === 'soft' }),
    );
  });
  const url = `http://127.0.0.1:${await listenOnFreshPort(server, '127.0.0.1')}/`;
  return { url, asked, state, close: () => closeServer(server) };
}

function closeServer(server: http.Server): Promise<unknown> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  return closed;
}
