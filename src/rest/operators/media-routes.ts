import { Router, type Request } from 'express';

import type { AdminGate } from '../../core/access/operators/admin-gate.js';
import type { Privacy } from '../../core/access/operators/privacy.js';
import { ApiError, notFound } from '../../core/base/errors/api-error.js';
import type { MediaReader } from '../../core/preview/media/media-reader.js';
import { DECODABLE_TYPES } from '../../core/preview/media/image/image-type.js';
import type { ThumbnailSize } from '../../core/preview/media/media-paths.js';
import { serve, textParam, type Handler } from '../serve.js';
import { mediaHeaders } from '../clients/media.js';
import { sendMediaFile } from '../clients/send-media-file.js';
import { requireViewer } from './admin-answers.js';

export interface AdminMediaRoutesOptions {
  gate: AdminGate;
  privacy: Privacy;
  /** Throws 503 until the store is open. */
  reader(): MediaReader;
}

const THUMBNAIL = /^(\d{1,5})x(\d{1,5})-(crop|scale)$/;

/** `GET …/api/media/{mediaId}` and `…/thumbnail/{width}x{height}-{crop|scale}`: stored media for the signed-in. */
export function adminMediaRoutes(options: AdminMediaRoutesOptions): Router {
  const router = Router();
  const sendMedia: Handler = async (exchange, request, response) => {
    const { role } = await requireViewer(exchange, options.gate);
    const { media, file } = await options.reader().find(textParam(request, 'mediaId'));
    if (!isImage(media.sniffedType) && !options.privacy.showsPages(role)) throw hidden();
    await sendMediaFile(response, file, headersOf(media.sniffedType, media.uploadName));
  };
  const sendThumbnail: Handler = async (exchange, request, response) => {
    await requireViewer(exchange, options.gate);
    const thumbnail = await options.reader().findThumbnail(textParam(request, 'mediaId'), sizeOf(request));
    await sendMediaFile(response, thumbnail, headersOf(thumbnail.contentType, null));
  };
  const path = '/api/media/{mediaId}';
  serve(router, { label: 'admin', path, get: sendMedia });
  serve(router, { label: 'admin', path: `${path}/thumbnail/{size}`, get: sendThumbnail });
  return router;
}

/** What the bytes are decides: an image is shown, everything else is a download of no particular type. */
function headersOf(sniffedType: string | null, fileName: string | null): Record<string, string> {
  const contentType = isImage(sniffedType) ? sniffedType : 'application/octet-stream';
  return {
    ...mediaHeaders({ contentType, fileName, isPublic: false }),
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

function isImage(sniffedType: string | null): sniffedType is string {
  return sniffedType !== null && DECODABLE_TYPES.has(sniffedType);
}

/** What is not an image may hold what admin.privacy hides everywhere else. */
function hidden(): ApiError {
  const message = 'This is not an image, and admin.privacy hides pages from this role';
  return new ApiError(403, message, { errcode: 'M_FORBIDDEN' });
}

function sizeOf(request: Request): ThumbnailSize {
  const [, width, height, method] = THUMBNAIL.exec(textParam(request, 'size')) ?? [];
  if (Number(width) > 0 && Number(height) > 0) {
    return { width: Number(width), height: Number(height), method: method === 'crop' ? 'crop' : 'scale' };
  }
  throw notFound();
}
