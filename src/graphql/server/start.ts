import { join } from 'node:path';

import { builtFolder } from '../../core/store/migration/files.js';
import { DEFAULT_LIMITS } from '../limits/limits.js';
import { createSchema } from '../schema.js';
import { GraphqlServer, type GraphqlServerOptions } from './graphql-server.js';
import { readTrustedDocuments } from './trusted-documents.js';

/** Starts the API with our own schema, the pages' documents and the usual limits. */
export function startGraphql(
  options: Pick<GraphqlServerOptions, 'services' | 'adHoc' | 'logger'>,
): Promise<GraphqlServer> {
  return GraphqlServer.start({
    schema: createSchema(),
    trusted: readTrustedDocuments(join(builtFolder(), 'web-admin', 'trusted-documents.json')),
    limits: DEFAULT_LIMITS,
    ...options,
  });
}
