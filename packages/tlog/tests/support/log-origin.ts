import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of logs, honest or not; `serve` and the list of requested paths may be replaced while it runs. */
export async function startLogOrigin() {
  // Tests compute for longer than idle connections are kept by default.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const path = (request.url ?? '').replace(/^\/log\//, '');
    origin.requested.push(path);
    const bytes = origin.serve(path);
    response.writeHead(bytes === null ? 404 : 200).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`,
    serve: (_path: string): Buffer | null => null,
    requested: [] as string[],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return origin;
}

export type LogOrigin = Awaited<ReturnType<typeof startLogOrigin>>;
