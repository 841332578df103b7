import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { createMetrics } from '../../../../src/core/base/metrics.js';
import { ReachedBounds, type ClientBound } from '../../../../src/core/base/places/reached-bounds.js';
import { createApp } from '../../../../src/rest/app.js';
import { failExchange, type Exchange } from '../../../../src/rest/request-exchange.js';
import { mediaRoutes } from '../../../../src/rest/clients/media.js';
import { createMediaKit, type MediaKit } from '../../../core/preview/media/media-kit.js';

/** The media routes over loopback, on stored media. */
export interface MediaServer {
  kit: MediaKit;
  url: string;
  close(): Promise<void>;
}

export interface MediaServerOptions {
  /** The only token that is accepted; `null`: media is open to everybody. */
  token: string | null;
  dynamic: boolean;
}

export async function startMediaServer(options: MediaServerOptions): Promise<MediaServer> {
  const kit = await createMediaKit('sqlite');
  const reader = kit.reader({ dynamic: options.dynamic });
  const exchanges = new WeakMap<ServerResponse, Exchange>();
  const exchangeOf = (response: ServerResponse): Exchange => exchanges.get(response)!;
  const exchangeOptions = {
    logger: kit.logger,
    metrics: createMetrics('test'),
    reached: new ReachedBounds<ClientBound>({ clock: systemClock, log: () => undefined }),
    lines: { admit: () => true },
    requestLogging: 'none' as const,
    requestIdHeader: null,
    xForwarded: false,
  };
  const router = mediaRoutes({
    pathPrefix: '/_svc',
    serverName: 'notary.test',
    reader: () => reader,
    exchangeOf,
    isBesideHomeserver: false,
    reads: { read: (_asker, find) => find() },
    xForwarded: false,
    requireUser:
      options.token === null
        ? null
        : async (request) => {
            if (request.headers.authorization === `Bearer ${options.token}`) return { userId: '@a:b' };
            throw new ApiError(401, 'Missing access token', { errcode: 'M_MISSING_TOKEN' });
          },
  });
  const app = createApp({
    routers: [router],
    exchangeOf,
    fail: (exchange, error) => failExchange(exchange, error, exchangeOptions),
  });
  const server = createServer((request, response) => {
    exchanges.set(response, {
      request,
      response,
      requestId: 'test',
      target: request.url ?? '',
      route: 'other',
      query: null,
      hold: () => undefined,
      openBody: () => () => true,
    });
    app(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    kit,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await kit.remove();
    },
  };
}
