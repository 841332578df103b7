import { setTimeout as delay } from 'node:timers/promises';

import type { Config } from '../config/schema.js';
import type { AppContext } from '../composition/context.js';
import { withinOpenFiles } from '../composition/start/open-files.js';
import { notReady } from '../core/base/errors/api-error.js';
import type { Router } from 'express';

import { adminRouter, type AdminListenerOptions } from './admin-listener.js';
import { graphqlRoutes, type GraphqlExecutor } from '../rest/operators/graphql-routes.js';
import { ClientBounds } from '../rest/bounds/client-bounds.js';
import { clientHeaders, createApp } from '../rest/app.js';
import { failExchange, type ExchangeOptions } from '../rest/request-exchange.js';
import { healthRoutes } from '../rest/health.js';
import { keysFromMemory } from '../rest/peers/keys-from-memory.js';
import { keyRoutes, type KeyRoutesOptions } from '../rest/peers/keys.js';
import { logRoutes } from '../rest/peers/log.js';
import { mediaRoutes } from '../rest/clients/media.js';
import { metricsRoutes } from '../rest/metrics.js';
import { previewRoutes } from '../rest/clients/preview.js';
import { requireUser } from '../rest/clients/require-user.js';
import { lazyGraphql } from './lazy-graphql.js';
import { Listener, type ListenerOptions } from './server.js';

type ListenerConfig = Config['listeners'][number];

/** After the drain, what is still stuck is left behind. */
const CLOSE_TIMEOUT_MS = 5000;

/** An open listener and what it serves. */
export interface OpenListener {
  url: string;
  resources: readonly string[];
}

/** The running service: listeners first, so that health can be asked while the store is being opened. */
export class Service {
  private constructor(
    private readonly context: AppContext,
    private readonly listeners: readonly { listener: Listener; config: ListenerConfig }[],
    private readonly bounds: ClientBounds,
  ) {}

  /** Opens every listener; none stays open when one cannot be opened. */
  static async start(context: AppContext): Promise<Service> {
    const opened: { listener: Listener; config: ListenerConfig }[] = [];
    const graphql = lazyGraphql(context);
    const bounds = createBounds(context);
    try {
      for (const config of context.config.listeners) {
        for (const host of config.bind_addresses) {
          const listener = await Listener.open(listenerOptions(context, { config, host, graphql, bounds }));
          opened.push({ listener, config });
        }
      }
    } catch (error) {
      await Promise.all(opened.map(({ listener }) => listener.close(0)));
      bounds.close();
      throw error;
    }
    return new Service(context, opened, bounds);
  }

  /** What is served where. */
  addresses(): OpenListener[] {
    return this.listeners.map(({ listener, config }) => ({ url: listener.url, resources: config.resources }));
  }

  /**
   * Readiness turns 503, and answers end their connections; after `server.close_delay` listeners close, running
   * requests finish, then everything is closed. Nobody needs the delay when the service was not ready.
   */
  async stop(): Promise<void> {
    const { context } = this;
    const { drain_timeout: drainMs, close_delay: delayMs } = context.config.server;
    const isWatched = delayMs > 0 && context.lifecycle.phase === 'ready';
    const listeners = this.listeners.map(({ listener }) => listener);
    context.lifecycle.set('draining', 'The service is stopping.');
    for (const listener of listeners) listener.endConnections();
    if (isWatched) await delay(delayMs);
    await Promise.all(listeners.map((listener) => listener.close(drainMs)));
    this.bounds.close();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([context.close(), late]);
    clearTimeout(timer);
  }
}

/** What clients may use up, as the settings say and the limit of open files admits. */
function createBounds({ config: { server }, parts }: AppContext): ClientBounds {
  const maxConnections = withinOpenFiles('connections', server.max_connections);
  if (maxConnections < server.max_connections)
    parts.logger.warn(
      { connections: maxConnections },
      'the limit of open files leaves less than server.max_connections',
    );
  return new ClientBounds({
    ...parts,
    reached: parts.clientBounds,
    maxConnections,
    maxBodyBytes: server.max_body_memory,
    maxUnsentBytes: server.max_unsent_size,
  });
}

interface ListenerParts {
  config: ListenerConfig;
  host: string;
  graphql: GraphqlExecutor | null;
  bounds: ClientBounds;
}

function listenerOptions(
  context: AppContext,
  { config, host, graphql, bounds }: ListenerParts,
): ListenerOptions {
  const { logger, metrics } = context.parts;
  const { server, log } = context.config;
  const { tlsCertificatePem: certificate, tlsPrivateKeyPem: privateKey } = context.files;
  const exchangeOptions: ExchangeOptions = {
    logger,
    metrics,
    reached: context.parts.clientBounds,
    lines: bounds.lines,
    requestLogging: log.requests,
    requestIdHeader: config.request_id_header,
    xForwarded: config.x_forwarded,
  };
  return {
    ...exchangeOptions,
    bounds,
    host,
    port: config.port,
    tls: config.tls ? { certificate: certificate ?? '', privateKey: privateKey ?? '' } : null,
    fromMemory: config.resources.includes('keys')
      ? keysFromMemory(keyOptions(context, config, bounds))
      : null,
    app: createApp({
      routers: routersOf(context, { config, bounds, graphql, exchangeOptions }),
      fail: (exchange, error) => failExchange(exchange, error, exchangeOptions),
    }),
    requestTimeoutMs: server.request_timeout,
  };
}

interface AppParts extends Omit<ListenerParts, 'host'> {
  exchangeOptions: ExchangeOptions;
}

/** The groups of routes that one listener serves. */
function routersOf(context: AppContext, made: AppParts): Router[] {
  const { config: listener, bounds, graphql, exchangeOptions } = made;
  const { config, parts, access } = context;
  const { resources, x_forwarded: xForwarded } = listener;
  const clients = clientRouters(context, listener);
  const makers: readonly [boolean, () => Router][] = [
    [resources.includes('keys'), () => keyRoutes(keyOptions(context, listener, bounds))],
    [resources.includes('log') && config.log.enabled, () => logRouter(context, { bounds, xForwarded })],
    [resources.includes('previews'), clients.previews],
    [true, clientHeaders],
    [resources.includes('media'), clients.media],
    [resources.includes('health'), () => healthRouter(context)],
    [
      resources.includes('metrics'),
      () =>
        metricsRoutes(
          parts.metrics.registry,
          config.metrics_require_token ? { ...access, xForwarded } : null,
        ),
    ],
    [
      resources.includes('admin'),
      () => {
        const reached = parts.clientBounds;
        const routes: AdminListenerOptions['graphql'] =
          graphql === null ? null : (gate) => graphqlRoutes({ gate, executor: graphql, xForwarded, reached });
        return adminRouter(context, { listener, exchangeOptions, graphql: routes });
      },
    ],
  ];
  return makers.flatMap(([isServed, make]) => (isServed ? [make()] : []));
}

function keyOptions(
  context: AppContext,
  { x_forwarded: xForwarded }: ListenerConfig,
  { largeAnswers, lines }: ClientBounds,
): KeyRoutesOptions {
  const { logger, metrics, dialect } = context.parts;
  const services = () => context.services.signing;
  return { pathPrefix: dialect.pathPrefix, services, logger, metrics, xForwarded, largeAnswers, lines };
}

function logRouter(
  context: AppContext,
  { bounds, xForwarded }: { bounds: ClientBounds; xForwarded: boolean },
): Router {
  const log = () => {
    const { published } = context.services.log;
    if (published === null) throw notReady();
    return published;
  };
  return logRoutes({ pathPrefix: context.parts.dialect.pathPrefix, log, bounds, xForwarded });
}

function clientRouters(context: AppContext, { x_forwarded: xForwarded }: ListenerConfig) {
  const { config, parts, access } = context;
  const { dialect, clock } = parts;
  const { pathPrefix } = dialect;
  const { users, refused, reads } = access;
  return {
    previews: () =>
      previewRoutes({
        pathPrefix,
        isEnabled: config.url_preview_enabled,
        authenticator: users,
        refused,
        previewer: () => context.services.pipeline.previewer,
        xForwarded,
        clock,
      }),
    media: () =>
      mediaRoutes({
        pathPrefix,
        serverName: config.server_name,
        reader: () => context.services.previews.media.reader,
        isBesideHomeserver: dialect.name === 'matrix',
        reads,
        xForwarded,
        requireUser: config.enable_authenticated_media
          ? (request) => requireUser(users, request, xForwarded)
          : null,
      }),
  };
}

function healthRouter({ monitor, lifecycle }: AppContext): Router {
  const readiness = async () => {
    await monitor.check();
    return lifecycle.readiness();
  };
  return healthRoutes({ readiness });
}
