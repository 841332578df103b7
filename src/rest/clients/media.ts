import type { IncomingMessage } from 'node:http';

import { Router, type Request, type Response } from 'express';

import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { invalidParam, missingParam, notFound } from '../../core/base/errors/api-error.js';
import type { MediaReader } from '../../core/preview/media/media-reader.js';
import type { ThumbnailMethod, ThumbnailSize } from '../../core/preview/media/image/thumbnail-sizes.js';
import type { ExchangeOf } from '../app.js';
import { mediaHeaders, servedType } from './media-headers.js';
import { queryOf } from '../params.js';
import { refuseMethod } from '../refuse-method.js';
import { tokenSourceOf } from './require-user.js';
import { sendPreflight } from '../respond.js';
import { sendMediaFile } from './send-media-file.js';

/** What the media routes are built from. */
export interface MediaRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  serverName: string;
  /** Absent until the store is open: throws 503 then. */
  reader(): MediaReader;
  /** Who asks; rejects for nobody known. `null` when media is served to everybody. */
  requireUser: ((request: IncomingMessage) => Promise<{ userId: string }>) | null;
  /**
   * Whether a proxy asks the homeserver for what is 404 here. Then a request under an old path without a token is 404
   * for media that is not ours: the homeserver serves what it has from before tokens were wanted.
   */
  isBesideHomeserver: boolean;
  exchangeOf: ExchangeOf;
}

const PIXELS = /^\d{1,9}$/;

/** `download` and `thumbnail` of stored media, under all paths that clients use. */
export function mediaRoutes(options: MediaRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  const under = (tail: string): string[] =>
    CLIENT_MEDIA_FOLDERS.map((folder) => `${options.pathPrefix}/${folder}/${tail}`);
  const download = [
    ...under('download/:serverName/:mediaId'),
    ...under('download/:serverName/:mediaId/:fileName'),
  ];
  const thumbnail = under('thumbnail/:serverName/:mediaId');

  router.options([...download, ...thumbnail], (_request, response) => {
    sendPreflight(options.exchangeOf(response));
  });
  router.get(download, (request, response) => sendDownload(request, response, options));
  router.get(thumbnail, (request, response) => sendThumbnail(request, response, options));
  router.all([...download, ...thumbnail], refuseMethod('GET, HEAD, OPTIONS'));
  return router;
}

async function sendDownload(
  request: Request,
  response: Response,
  options: MediaRoutesOptions,
): Promise<void> {
  options.exchangeOf(response).route = 'media_download';
  await admit(request, options);
  const reader = options.reader();
  const { media, file } = await reader.find(mediaIdOf(request, options));
  const headers = mediaHeaders({
    contentType: servedType(media.sniffedType, media.contentType),
    fileName: textOf(request.params['fileName']) ?? media.uploadName,
    isPublic: options.requireUser === null,
  });
  await sendMediaFile(response, file, headers);
  await reader.noteAccess(media);
}

async function sendThumbnail(
  request: Request,
  response: Response,
  options: MediaRoutesOptions,
): Promise<void> {
  options.exchangeOf(response).route = 'media_thumbnail';
  await admit(request, options);
  const wanted = wantedSize(queryOf(request.url));
  const thumbnail = await options.reader().findThumbnail(mediaIdOf(request, options), wanted);
  const headers = mediaHeaders({
    contentType: thumbnail.contentType,
    fileName: null,
    isPublic: options.requireUser === null,
  });
  await sendMediaFile(response, thumbnail, headers);
}

/** Rejects with 401 for who may not load media, with 404 for what a homeserver may have (see `isBesideHomeserver`). */
async function admit(request: Request, options: MediaRoutesOptions): Promise<void> {
  const { requireUser, isBesideHomeserver } = options;
  if (requireUser === null) return;
  const isOld = !request.path.startsWith(`${options.pathPrefix}/client/`);
  if (isBesideHomeserver && isOld && isTokenless(request))
    await options.reader().find(mediaIdOf(request, options));
  await requireUser(request);
}

function isTokenless(request: Request): boolean {
  const { authorization, queryToken } = tokenSourceOf(request, queryOf(request.url));
  return authorization.length === 0 && queryToken === null;
}

/** We hold no media of other servers. */
function mediaIdOf(request: Request, options: MediaRoutesOptions): string {
  const mediaId = textOf(request.params['mediaId']);
  if (mediaId === null || request.params['serverName'] !== options.serverName) {
    throw notFound();
  }
  return mediaId;
}

function textOf(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Matrix spec, "thumbnail": width and height are required, `scale` is the usual method. */
function wantedSize(query: URLSearchParams): ThumbnailSize {
  return {
    width: pixelsOf(query, 'width'),
    height: pixelsOf(query, 'height'),
    method: methodOf(query.get('method')),
  };
}

function pixelsOf(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null) throw missingParam(`Missing integer query parameter '${name}'`);
  const value = PIXELS.test(text) ? Number(text) : 0;
  if (value === 0) throw invalidParam(`Query parameter '${name}' must be a positive integer`);
  return value;
}

function methodOf(text: string | null): ThumbnailMethod {
  if (text === null || text === 'scale') return 'scale';
  if (text === 'crop') return 'crop';
  throw invalidParam("Query parameter 'method' must be crop or scale");
}
