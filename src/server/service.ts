import { setTimeout as delay } from 'node:timers/promises';

import type { Config } from '../config/schema.js';
import type { Resource } from '../config/settings/server-settings.js';
import type { AppContext } from '../composition/context.js';
import { withinOpenFiles } from '../composition/start/open-files.js';
import { notReady } from '../core/base/errors/api-error.js';
import { remembered } from '../core/base/runtime/cache.js';

import type { Router } from 'express';

import { AdminGate } from '../core/access/operators/admin-gate.js';
import { SameOrigin } from '../core/access/operators/same-origin.js';
import { publicUrlOf } from '../config/output/proxy.js';
import { VERSION } from '../config/version.js';
import { storeUnavailable } from '../rest/operators/admin-answers.js';
import { adminRoutes } from '../rest/operators/admin-routes.js';
import { graphqlRoutes, type GraphqlExecutor } from '../rest/operators/graphql-routes.js';
import { createClientBounds, type ClientBounds } from '../rest/bounds/client-bounds.js';
import { clientHeaders, createApp } from '../rest/app.js';
import type { Exchange } from '../rest/request-exchange.js';
import { keyRoutes, keysFromMemory, type KeyRoutesOptions } from '../rest/peers/keys.js';
import { logRoutes } from '../rest/peers/log.js';
import { mediaRoutes } from '../rest/clients/media.js';
import { healthRoutes, metricsRoutes } from '../rest/monitoring.js';
import { previewRoutes } from '../rest/clients/preview.js';
import { Listener, type ListenerOptions } from './server.js';

type ListenerConfig = Config['listeners'][number];

const CLOSE_TIMEOUT_MS = 5000;

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
    await Promise.race([context.close(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/** Loaded when the first operation comes: its libraries and the schema take memory, and time of each start. */
function lazyGraphql(context: AppContext): GraphqlExecutor {
  const server = remembered(async () => {
    const { startGraphql } = await import('../graphql/server/start.js');
    return startGraphql({
      services: () => context.services.operators,
      adHoc: context.config.admin.graphql.ad_hoc,
      logger: context.parts.logger,
    });
  });
  return { execute: async (call) => (await server()).execute(call) };
}

/** What clients may use up, as the settings say and the limit of open files admits. */
function createBounds({ config: { server }, parts }: AppContext): ClientBounds {
  const maxConnections = withinOpenFiles('connections', server.max_connections);
  if (maxConnections < server.max_connections)
    parts.logger.warn(
      { connections: maxConnections },
      'the limit of open files leaves less than server.max_connections',
    );
  return createClientBounds({
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
  graphql: GraphqlExecutor;
  bounds: ClientBounds;
}

function listenerOptions(context: AppContext, made: ListenerParts): ListenerOptions {
  const { logger, metrics } = context.parts;
  const { server, log } = context.config;
  const { tlsCertificatePem: certificate, tlsPrivateKeyPem: privateKey } = context.loaded.files;
  const { config, host, bounds } = made;
  return {
    logger,
    metrics,
    bounds,
    requestLogging: log.requests,
    requestIdHeader: config.request_id_header,
    xForwarded: config.x_forwarded,
    host,
    port: config.port,
    tls: config.tls ? { certificate: certificate ?? '', privateKey: privateKey ?? '' } : null,
    fromMemory: config.resources.includes('keys') ? keysFromMemory(keyOptions(context, bounds)) : null,
    app: createApp(routersOf(context, made)),
    requestTimeoutMs: server.request_timeout,
  };
}

function routersOf(context: AppContext, { config: listener, bounds, graphql }: ListenerParts): Router[] {
  const { config, parts, access, monitor, lifecycle } = context;
  const { clock, dialect } = parts;
  const { pathPrefix } = dialect;
  const { users: authenticator, reads, refused } = access;
  const { server_name: serverName, url_preview_enabled: isEnabled } = config;
  const serves = (name: Resource): boolean => listener.resources.includes(name);
  const readiness = async () => {
    await monitor.check();
    return lifecycle.readiness();
  };
  const log = () => {
    const { published } = context.services.log;
    if (published === null) throw notReady();
    return published;
  };
  const previewer = () => context.services.pipeline.previewer;
  const reader = () => context.services.previews.media.reader;
  const isBesideHomeserver = dialect.name === 'matrix';
  const requireUser = config.enable_authenticated_media
    ? ({ credentials }: Exchange) => authenticator.authenticate(credentials)
    : null;
  const tokens = config.metrics_require_token ? access : null;
  const routers = [
    serves('keys') && keyRoutes(keyOptions(context, bounds)),
    serves('log') && config.log.enabled && logRoutes({ pathPrefix, log, bounds }),
    serves('previews') && previewRoutes({ pathPrefix, isEnabled, authenticator, refused, previewer, clock }),
    clientHeaders(),
    serves('media') &&
      mediaRoutes({ pathPrefix, serverName, reader, isBesideHomeserver, reads, requireUser }),
    serves('health') && healthRoutes(readiness),
    serves('metrics') && metricsRoutes(parts.metrics.registry, tokens),
    serves('admin') && adminRouter(context, listener, graphql),
  ];
  return routers.filter((router) => router !== false);
}

function keyOptions(context: AppContext, { largeAnswers, lines }: ClientBounds): KeyRoutesOptions {
  const { logger, metrics, dialect } = context.parts;
  const services = () => context.services.signing;
  return { pathPrefix: dialect.pathPrefix, services, logger, metrics, largeAnswers, lines };
}

function adminRouter(context: AppContext, listener: ListenerConfig, graphql: GraphqlExecutor): Router {
  const { config, parts, access, lifecycle, monitor } = context;
  const { label } = config.admin.environment;
  const sameOrigin = new SameOrigin({
    publicUrl: config.admin.public_url,
    tls: listener.tls,
    behindProxy: listener.x_forwarded,
  });
  const gate = new AdminGate(sameOrigin, access);
  return adminRoutes({
    ...access,
    gate,
    sameOrigin,
    basePath: config.admin.base_path,
    uiFolder: parts.uiFolder,
    about: {
      serverName: config.server_name,
      version: VERSION,
      pathPrefix: parts.dialect.pathPrefix,
      publicUrl: publicUrlOf(config),
      environment: label === null ? null : { label },
    },
    reader: () => context.services.previews.media.reader,
    graphql: graphqlRoutes(gate, graphql, parts.clientBounds),
    findStoreError: async () => {
      await monitor.check();
      return storeUnavailable(lifecycle, parts.databaseOptions);
    },
  });
}
