import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { openApiDocument } from '../../src/rest/api/openapi.js';
import { apiRegions } from './api-regions.js';
import { benchFiles, recordedVersions } from './bench/bench-page.js';
import { cliPage } from './cli-page.js';
import { configurationPage } from './configuration-page.js';
import { graphqlPage } from './graphql-page.js';
import { fillRegions } from './markdown.js';
import { openApiText } from './openapi-text.js';
import { restPage } from './rest-page.js';

const ROOT = new URL('../../', import.meta.url);

/** Everything below `docs/` that is made from the program, by its path in the repository. */
export function generatedFiles(): Map<string, string> {
  const document = openApiDocument('');
  const api = readFileSync(new URL('docs/API.md', ROOT), 'utf8');
  return new Map([
    ['docs/openapi.json', openApiText()],
    ['docs/API.md', fillRegions(api, apiRegions(document))],
    ['docs/reference/rest.md', restPage(document)],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/cli.md', cliPage()],
    ['docs/reference/graphql.md', graphqlPage()],
    ...benchFiles(recordedVersions(fileURLToPath(ROOT))),
  ]);
}
