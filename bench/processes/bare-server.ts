import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { serveJobs } from '../support/child.js';

/** What the bare server answers one request with: the bytes that Vidimus answered it with. */
export interface BareAnswer {
  method: string;
  path: string;
  /** Flat list of names and values; what Node adds by itself is not in it. */
  headers: string[];
  body: Uint8Array;
  /** Whether it also reads the body of the request as JSON, as every server that answers it has to. */
  parsesBody: boolean;
  /** What the request's Authorization header must be; `null` asks for none. */
  authorization: string | null;
}

interface Answer extends Omit<BareAnswer, 'method' | 'path'> {
  body: Buffer;
}

const answers = new Map<string, Answer>();

/** `node:http` and nothing else: the most a server on it can reach. */
const server = createServer((request, response) => {
  const answer = answers.get(`${request.method} ${request.url}`);
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  if (answer.authorization !== null && request.headers.authorization !== answer.authorization) {
    response.writeHead(401).end();
    return;
  }
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (answer.parsesBody) JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, answer.headers).end(answer.body);
    });
    return;
  }
  response.writeHead(200, answer.headers).end(answer.body);
});
const listening = new Promise<number>((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
});

serveJobs(({ method, path, body, ...answer }: BareAnswer): Promise<number> => {
  answers.set(`${method} ${path}`, { ...answer, body: Buffer.from(body) });
  return listening;
});
