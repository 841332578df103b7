import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { createMetrics } from '../../../../src/core/base/metrics.js';
import { ReachedBounds, type ClientBound } from '../../../../src/core/base/limits/reached-bounds.js';
import { clientHeaders, createApp } from '../../../../src/rest/app.js';
import { BodyBytes, UnsentBytes } from '../../../../src/rest/bounds/held-bytes.js';
import { ExchangeOpener } from '../../../../src/rest/request-exchange.js';
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
  const reached = new ReachedBounds<ClientBound>({ clock: systemClock, log: () => undefined });
  const limits = { maxBytes: 1e9, maxBytesPerClient: 1e9 };
  const exchangeOptions = {
    logger: kit.logger,
    metrics: createMetrics('test'),
    bounds: {
      reached,
      lines: { admit: () => true },
      unsent: new UnsentBytes(limits, reached),
      bodies: new BodyBytes(limits, reached),
    },
    requestLogging: 'none' as const,
    requestIdHeader: null,
    xForwarded: false,
  };
  const router = mediaRoutes({
    pathPrefix: '/_svc',
    serverName: 'notary.test',
    reader: () => reader,
    isBesideHomeserver: false,
    reads: { run: (_client, find) => find() },
    requireUser:
      options.token === null
        ? null
        : async ({ request }) => {
            if (request.headers.authorization === `Bearer ${options.token}`) return { userId: '@a:b' };
            throw new ApiError(401, 'Missing access token', { errcode: 'M_MISSING_TOKEN' });
          },
  });
  const app = createApp([clientHeaders(), router]);
  const opener = new ExchangeOpener(exchangeOptions);
  const server = createServer((request, response) => {
    opener.open(request, response);
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
