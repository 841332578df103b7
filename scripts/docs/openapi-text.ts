import { readFileSync } from 'node:fs';

import { openApiDocument } from '../../src/rest/api/openapi.js';

/** `docs/openapi.json`, as committed. */
export function openApiText(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return `${JSON.stringify(openApiDocument(manifest.version), null, 1)}\n`;
}
