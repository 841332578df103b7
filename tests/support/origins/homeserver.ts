import http from 'node:http';

import { listenOnFreshPort } from '../fresh-port.js';

/** What `account/whoami` tells of a token. */
export interface TokenFacts {
  user_id: string;
  is_guest?: boolean;
}

interface HomeserverState {
  /** Whether connections are dropped. */
  fail: boolean;
  /** The same answer to everybody; `null`: as it knows the token. */
  says: { status: number; body: string } | null;
}

/** A homeserver that knows some access tokens, by the token. */
export async function startHomeserver(known: Readonly<Record<string, TokenFacts>>) {
  const asked: string[] = [];
  const state: HomeserverState = { fail: false, says: null };
  const server = http.createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    if (state.fail) {
      request.socket.destroy();
      return;
    }
    if (state.says !== null) {
      response.writeHead(state.says.status).end(state.says.body);
      return;
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const facts = known[token];
    response.writeHead(facts === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(facts ?? { errcode: 'M_UNKNOWN_TOKEN', error: 'no', soft_logout: token === 'soft' }),
    );
  });
  const url = `http://127.0.0.1:${await listenOnFreshPort(server, '127.0.0.1')}/`;
  return { url, asked, state, close: () => new Promise((resolve) => server.close(resolve)) };
}
