import { Router, type Request, type RequestHandler, type Response } from 'express';

import type { FairQueue } from '../../core/base/fair-queue.js';
import { exchangeOf, type Exchange } from '../request-exchange.js';
import { notFound } from '../../core/base/errors/api-error.js';
import type { MediaReader, QueuedRead } from '../../core/preview/media/media-reader.js';
import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { required } from '../params.js';
import { sendPreflight } from '../respond.js';
import { serve } from '../serve.js';
import { sendMediaFile } from './send-media-file.js';
import { DECODABLE_TYPES } from '../../core/preview/media/image/image-type.js';

interface MediaRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  serverName: string;
  /** Absent until the store is open: throws 503 then. */
  reader(): MediaReader;
  /** Who asks; rejects for nobody known. `null` when media is served to everybody. */
  requireUser: ((exchange: Exchange) => Promise<{ userId: string }>) | null;
  /**
   * Whether a proxy asks the homeserver for what is 404 here. Then a request under an old path without a token is 404
   * for media that is not ours: the homeserver serves what it has from before tokens were wanted.
   */
  isBesideHomeserver: boolean;
  /** Turns by client, for what the store is asked without a token. */
  reads: Pick<FairQueue, 'run'>;
}

/** `download` and `thumbnail` of stored media, under all paths that clients use. */
export function mediaRoutes(options: MediaRoutesOptions): Router {
  const router = Router();
  const preflight: RequestHandler = (_request, response) => sendPreflight(exchangeOf(response));
  const download: RequestHandler = (request, response) => sendDownload(request, response, options);
  const thumbnail: RequestHandler = (request, response) => sendThumbnail(request, response, options);
  for (const folder of CLIENT_MEDIA_FOLDERS) {
    const at = (action: string) => `${options.pathPrefix}/${folder}/${action}/{serverName}/{mediaId}`;
    const downloads = { label: 'media_download', get: download, options: preflight };
    serve(router, { path: at('download'), ...downloads });
    serve(router, { path: `${at('download')}/{fileName}`, ...downloads });
    serve(router, { label: 'media_thumbnail', path: at('thumbnail'), get: thumbnail, options: preflight });
  }
  return router;
}

async function sendDownload(
  request: Request,
  response: Response,
  options: MediaRoutesOptions,
): Promise<void> {
  const exchange = exchangeOf(response);
  await admit(exchange, request, options);
  const reader = options.reader();
  const { media, file } = await reader.find(mediaIdOf(request, options), openRead(exchange, options));
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
  const exchange = exchangeOf(response);
  await admit(exchange, request, options);
  const { query } = exchange;
  // Matrix spec, "thumbnail": width and height are required.
  const wanted = {
    width: required(query.positive('width'), "integer query parameter 'width'"),
    height: required(query.positive('height'), "integer query parameter 'height'"),
    method: query.choice('method', ['scale', 'crop']) ?? 'scale',
  };
  const mediaId = mediaIdOf(request, options);
  const thumbnail = await options.reader().findThumbnail(mediaId, wanted, openRead(exchange, options));
  const headers = mediaHeaders({
    contentType: thumbnail.contentType,
    fileName: null,
    isPublic: options.requireUser === null,
  });
  await sendMediaFile(response, thumbnail, headers);
}

/** Rejects with 401 for who may not load media, with 404 for what a homeserver may have (see `isBesideHomeserver`). */
async function admit(exchange: Exchange, request: Request, options: MediaRoutesOptions): Promise<void> {
  const { requireUser, isBesideHomeserver } = options;
  if (requireUser === null) return;
  const isOld = !request.path.startsWith(`${options.pathPrefix}/client/`);
  if (isBesideHomeserver && isOld && isTokenless(exchange)) {
    const mediaId = mediaIdOf(request, options);
    await options.reader().find(mediaId, queuedRead(exchange, options));
  }
  await requireUser(exchange);
}

/** How the store is asked for media that is open to everybody; `undefined`: a user asks. */
function openRead(exchange: Exchange, options: MediaRoutesOptions): QueuedRead | undefined {
  return options.requireUser === null ? queuedRead(exchange, options) : undefined;
}

function queuedRead(exchange: Exchange, { reads }: MediaRoutesOptions): QueuedRead {
  return (find) => reads.run(exchange, find);
}

function isTokenless({ credentials: { authorization, queryToken } }: Exchange): boolean {
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

interface MediaHeaderFacts {
  contentType: string;
  fileName: string | null;
  /** Whether anyone may keep a copy, not only the client. */
  isPublic: boolean;
}

/** What is stored under an id never changes; clients may keep it for a day. */
const KEEP_SECONDS = 86_400;

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:[ \t]*;[ \t]*[\w-]{1,50}=[\w.:-]{1,50})*$/;
const CONTROL_OR_PATH = /[\p{Cc}\p{Cf}/\\]/gu;
const MAX_NAME_LENGTH = 255;

/**
 * Headers of every answer that carries media: nothing in it may run, be embedded as a page or be taken for
 * another type. Only plain images are shown in place; everything else is a download.
 */
export function mediaHeaders({ contentType, fileName, isPublic }: MediaHeaderFacts): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Content-Disposition': contentDisposition(
      DECODABLE_TYPES.has(contentType) ? 'inline' : 'attachment',
      fileName,
    ),
    'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': `${isPublic ? 'public' : 'private'}, max-age=${KEEP_SECONDS}, immutable`,
  };
}

/** The type to send: what the bytes are, else what the origin stated when it has the form of a media type. */
function servedType(sniffedType: string | null, contentType: string): string {
  if (sniffedType !== null) return sniffedType;
  // Bytes that are no image are not sent as one, whatever their label says.
  return MEDIA_TYPE.test(contentType) && !/^image\//i.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

/** `Content-Disposition` with the name in both forms of RFC 6266 and RFC 8187. */
function contentDisposition(kind: 'inline' | 'attachment', fileName: string | null): string {
  const name = cleanName(fileName ?? '');
  if (name === '') return kind;
  const plain = name.replaceAll(/[^\w .()-]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === name
    ? `${kind}; filename="${plain}"`
    : `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Without anything that could act as a path or hide what the name says; lone surrogates become U+FFFD. */
function cleanName(fileName: string): string {
  const wellFormed = Buffer.from(fileName, 'utf8').toString('utf8');
  const clean = wellFormed.replaceAll(CONTROL_OR_PATH, '_').slice(0, MAX_NAME_LENGTH);
  // The cut may have left half a character.
  return clean.replace(/[\uD800-\uDBFF]$/, '');
}
