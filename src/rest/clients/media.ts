import { Router, type Request } from 'express';

import type { FairQueue } from '../../core/base/fair-queue.js';
import type { Exchange } from '../request-exchange.js';
import { notFound } from '../../core/base/errors/api-error.js';
import type { MediaReader, QueuedRead } from '../../core/preview/media/media-reader.js';
import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { required } from '../params.js';
import { sendPreflight } from '../respond.js';
import { serve, textParam, type Handler } from '../serve.js';
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
  const isPublic = options.requireUser === null;
  const download: Handler = async (exchange, request, response) => {
    await admit(exchange, request, options);
    const reader = options.reader();
    const { media, file } = await reader.find(mediaIdOf(request, options), openRead(exchange, options));
    const contentType = servedType(media.sniffedType, media.contentType);
    const fileName = textParam(request, 'fileName') || media.uploadName;
    await sendMediaFile(response, file, mediaHeaders({ contentType, fileName, isPublic }));
    await reader.noteAccess(media);
  };
  const thumbnail: Handler = async (exchange, request, response) => {
    await admit(exchange, request, options);
    const { query } = exchange;
    // Matrix spec, "thumbnail": width and height are required.
    const wanted = {
      width: required(query.positive('width'), "integer query parameter 'width'"),
      height: required(query.positive('height'), "integer query parameter 'height'"),
      method: query.choice('method', ['scale', 'crop']) ?? 'scale',
    };
    const mediaId = mediaIdOf(request, options);
    const found = await options.reader().findThumbnail(mediaId, wanted, openRead(exchange, options));
    const { contentType } = found;
    await sendMediaFile(response, found, mediaHeaders({ contentType, fileName: null, isPublic }));
  };
  for (const folder of CLIENT_MEDIA_FOLDERS) {
    const at = (action: string) => `${options.pathPrefix}/${folder}/${action}/{serverName}/{mediaId}`;
    const downloads = { label: 'media_download', get: download, options: sendPreflight };
    serve(router, { path: at('download'), ...downloads });
    serve(router, { path: `${at('download')}/{fileName}`, ...downloads });
    const label = 'media_thumbnail';
    serve(router, { label, path: at('thumbnail'), get: thumbnail, options: sendPreflight });
  }
  return router;
}

/** Rejects with 401 for who may not load media, with 404 for what a homeserver may have (see `isBesideHomeserver`). */
async function admit(exchange: Exchange, request: Request, options: MediaRoutesOptions): Promise<void> {
  const { requireUser, isBesideHomeserver } = options;
  if (requireUser === null) return;
  const { authorization, queryToken } = exchange.credentials;
  const isOld = !request.path.startsWith(`${options.pathPrefix}/client/`);
  if (isBesideHomeserver && isOld && authorization.length === 0 && queryToken === null)
    await options.reader().find(mediaIdOf(request, options), queuedRead(exchange, options));
  await requireUser(exchange);
}

/** How the store is asked for media that is open to everybody; `undefined`: a user asks. */
function openRead(exchange: Exchange, options: MediaRoutesOptions): QueuedRead | undefined {
  return options.requireUser === null ? queuedRead(exchange, options) : undefined;
}

function queuedRead(exchange: Exchange, { reads }: MediaRoutesOptions): QueuedRead {
  return (find) => reads.run(exchange, find);
}

/** We hold no media of other servers. */
function mediaIdOf(request: Request, options: MediaRoutesOptions): string {
  if (textParam(request, 'serverName') !== options.serverName) throw notFound();
  return textParam(request, 'mediaId');
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
