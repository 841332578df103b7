import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

import { errorCode } from '../../core/base/errors/api-error.js';
import { builtFolder } from '../../core/store/migration-files.js';
import { DEFAULT_LIMITS } from '../limits/limits.js';
import { createSchema } from '../schema.js';
import { GraphqlServer, type GraphqlServerOptions } from './graphql-server.js';

const MANIFEST = z.record(z.string(), z.string());

/**
 * Reads the list of the pages' own operations that their build has written: id → text, the id being the SHA-256
 * (hex) of the text. Empty when the pages have not been built.
 */
function readTrustedDocuments(path: string): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  return new Map(Object.entries(MANIFEST.parse(JSON.parse(text))));
}

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
