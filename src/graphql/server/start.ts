import { join } from 'node:path';

import type { AppContext } from '../../composition/context.js';
import { packageRoot } from '../../core/store/migration/files.js';
import { DEFAULT_LIMITS } from '../limits/limits.js';
import { createSchema } from '../schema.js';
import { GraphqlServer } from './graphql-server.js';
import { readTrustedDocuments } from './trusted-documents.js';

/** Starts the API over everything the context has. */
export function startGraphql(context: AppContext): Promise<GraphqlServer> {
  const { config, parts } = context;
  return GraphqlServer.start({
    schema: createSchema(),
    services: () => context.adminServices,
    trusted: readTrustedDocuments(join(packageRoot(), 'dist', 'web-admin', 'trusted-documents.json')),
    adHoc: config.admin.graphql.ad_hoc,
    limits: DEFAULT_LIMITS,
    logger: parts.logger,
  });
}
