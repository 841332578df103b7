import { DECODABLE_TYPES } from '../../core/preview/media/image/image-type.js';

/** What is sent, as far as headers go. */
export interface MediaHeaderFacts {
  contentType: string;
  /** `null` when no name is known. */
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
export function servedType(sniffedType: string | null, contentType: string): string {
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
