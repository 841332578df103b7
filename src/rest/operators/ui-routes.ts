import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

import { Router, type Request, type Response } from 'express';

import { methodNotAllowed, notFound } from '../../core/base/errors/api-error.js';

export interface UiRoutesOptions {
  /** Where the browser sees them; setting admin.base_path. */
  basePath: string;
  uiFolder: string;
}

/** A file of the built UI; `gzip` is `null` where that does not pay. */
interface UiFile {
  body: Buffer;
  gzip: Buffer | null;
}

const SERVED = /\.(?:js|css|svg|txt|png|ico|woff2)$/;
const MIN_GZIP_BYTES = 1024;
const PAGE = 'index.html';
const NONCE_BYTES = 18;
/** Names of assets carry a hash of their contents. */
const ASSETS = 'assets/';
const KEEP_ASSETS = 'public, max-age=31536000, immutable';

/** The page for every path that is no file, so that addresses of single views can be opened; and its files. */
export function uiRoutes({ basePath, uiFolder }: UiRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  let files: ReadonlyMap<string, UiFile> | null = null;
  router.use((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
    // Looked up by name among the files that are there, as it was sent: no request can name a path of the disk.
    const path = (request.url.split('?', 1)[0] ?? '/').slice(1);
    files ??= readFiles(uiFolder);
    const file = path === PAGE ? undefined : files?.get(path);
    if (file !== undefined) {
      if (path.startsWith(ASSETS)) response.setHeader('Cache-Control', KEEP_ASSETS);
      response.type(extname(path));
      sendFile(request, response, file);
    } else if (path.startsWith(ASSETS) || path.startsWith('api/')) {
      throw notFound();
    } else {
      sendPage(response, basePath, files?.get(PAGE));
    }
  });
  return router;
}

/** By their paths below the folder, such as `assets/index-1a2b.js`; `null` while the UI is not built. */
function readFiles(folder: string): ReadonlyMap<string, UiFile> | null {
  if (!existsSync(join(folder, PAGE))) return null;
  const paths = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return new Map(
    paths
      .filter((path) => path === PAGE || SERVED.test(path))
      .map((path) => {
        const body = readFileSync(join(folder, path));
        const gzip = body.length >= MIN_GZIP_BYTES ? gzipSync(body) : body;
        return [path, { body, gzip: gzip.length < body.length ? gzip : null }];
      }),
  );
}

/**
 * The policy of the page: nothing from anywhere else, style tags only with the nonce of this answer. Mantine also
 * sets style attributes. There is no upgrade of insecure requests, so that plain http works on this machine.
 */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

function sendPage(response: Response, basePath: string, page: UiFile | undefined): void {
  response.type('html');
  if (page === undefined) {
    response.status(503).end(NOT_BUILT);
    return;
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  response.setHeader('Content-Security-Policy', pagePolicy(nonce));
  const text = page.body.toString('utf8');
  response.end(text.replaceAll('__BASE_PATH__', basePath).replaceAll('__CSP_NONCE__', nonce));
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

function sendFile(request: Request, response: Response, { body, gzip }: UiFile): void {
  if (gzip !== null) response.vary('Accept-Encoding');
  const takesGzip = gzip !== null && request.acceptsEncodings('gzip') === 'gzip';
  if (takesGzip) response.setHeader('Content-Encoding', 'gzip');
  const bytes = takesGzip ? gzip : body;
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
