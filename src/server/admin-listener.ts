import type { RequestHandler, Router } from 'express';

import { publicUrlOf } from '../config/output/proxy.js';
import type { Config } from '../config/schema.js';
import type { AppContext } from '../composition/context.js';
import { AdminGate } from '../core/access/operators/admin-gate.js';
import { SameOrigin } from '../core/access/operators/same-origin.js';
import { adminRoutes } from '../rest/operators/admin-routes.js';
import { storeUnavailable } from '../rest/operators/admin-answers.js';
import { exchangeOf, logError, type ExchangeOptions } from '../rest/request-exchange.js';
import { VERSION } from '../config/version.js';

/** What the operators' side of one listener needs beside the context. */
export interface AdminListenerOptions {
  listener: Config['listeners'][number];
  exchangeOptions: ExchangeOptions;
  /** Makes the handler of `POST …/api/graphql`; `gate` says who asks. */
  graphql: (gate: AdminGate) => RequestHandler;
}

/** Builds the routes below admin.base_path. */
export function adminRouter(context: AppContext, options: AdminListenerOptions): Router {
  const { config, parts, access, lifecycle, monitor } = context;
  const { listener, exchangeOptions } = options;
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
    graphql: options.graphql(gate),
    findStoreError: async () => {
      await monitor.check();
      return storeUnavailable(lifecycle, parts.databaseOptions);
    },
    log: (error, response) => logError(exchangeOf(response), error, exchangeOptions),
  });
}
