import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers below an address; `null`: 404. May be changed while it runs. */
export interface LogOrigin {
  url: string;
  serve: (path: string) => Buffer | null | Promise<Buffer | null>;
  /** Paths that were requested, in order. */
  requested: string[];
  close(): Promise<void>;
}

/** A server of logs, honest or not. */
export async function startLogOrigin(): Promise<LogOrigin> {
  // Tests compute for longer than idle connections are kept by default.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const path = (request.url ?? '').replace(/^\/log\//, '');
    origin.requested.push(path);
    void Promise.resolve(origin.serve(path)).then((bytes) =>
      response.writeHead(bytes === null ? 404 : 200).end(bytes),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin: LogOrigin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`,
    serve: () => null,
    requested: [],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return origin;
}
