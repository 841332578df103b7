import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { Router, type Request } from 'express';

import { methodNotAllowed, notFound } from '../../core/base/errors/api-error.js';
import { pagePolicy } from './admin-headers.js';
import type { UiFile, UiFiles } from './ui-files.js';

/** What the pages are served from. */
export interface UiRoutesOptions {
  /** Where the browser sees them; setting admin.base_path. */
  basePath: string;
  files: UiFiles;
}

const NONCE_BYTES = 18;
/** Names of assets carry a hash of their contents. */
const ASSETS = '/assets/';
const KEEP_ASSETS = 'public, max-age=31536000, immutable';

/** The page for every path that is no file, so that addresses of single views can be opened; and its files. */
export function uiRoutes(options: UiRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  router.use((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
    const path = pathOf(request);
    const file = options.files.find(path.slice(1));
    if (file !== null) {
      if (path.startsWith(ASSETS)) response.setHeader('Cache-Control', KEEP_ASSETS);
      sendFile(request, response, file);
    } else if (path.startsWith(ASSETS) || path.startsWith('/api/')) {
      throw notFound();
    } else {
      sendPage(response, options);
    }
  });
  return router;
}

function sendPage(response: ServerResponse, { basePath, files }: UiRoutesOptions): void {
  const page = files.page();
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (page === null) {
    response.statusCode = 503;
    response.end(NOT_BUILT);
    return;
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  response.setHeader('Content-Security-Policy', pagePolicy(nonce));
  response.end(page.replaceAll('__BASE_PATH__', basePath).replaceAll('__CSP_NONCE__', nonce));
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Vidimus</title>
<h1>The pages are not built</h1>
<p>This installation lacks its folder <code>web-admin</code>. Run <code>npm run build</code> and reload.
The GraphQL API works without them.
</html>
`;

function sendFile(request: Request, response: ServerResponse, { body, contentType, gzip }: UiFile): void {
  response.setHeader('Content-Type', contentType);
  if (gzip !== null) response.setHeader('Vary', 'Accept-Encoding');
  const takesGzip = gzip !== null && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(encodings(request));
  if (takesGzip) response.setHeader('Content-Encoding', 'gzip');
  const bytes = takesGzip ? gzip : body;
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

function encodings(request: Request): string {
  return request.headers['accept-encoding']?.toString() ?? '';
}

/** As it was sent: names of files hold no percent-escapes. */
function pathOf(request: Request): string {
  return request.url.split('?', 1)[0] ?? '/';
}
