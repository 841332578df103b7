/** What differs between the neutral service and a Matrix drop-in (setting `dialect`). */
export interface Dialect {
  readonly name: 'svc' | 'matrix';
  /** First path segment, served and fetched. */
  readonly pathPrefix: string;
  /** Open Graph key that carries the byte size of the stored image. */
  readonly sizeKey: string;
  /** Default scheme of content URIs (setting `media_scheme`). */
  readonly mediaScheme: string;
  /** Whether an oEmbed answer that a page announces and that fails, fails its preview. */
  readonly isOembedRequired: boolean;
  readonly wellKnownPath: string;
  /** Member of the well-known document that names the delegated server. */
  readonly wellKnownMember: string;
  /** SRV service labels in the order they are tried; the last one is the deprecated form. */
  readonly srvServices: readonly [string, string];
}

export const SVC_DIALECT: Dialect = {
  name: 'svc',
  pathPrefix: '/_svc',
  sizeKey: 'svc:image:size',
  mediaScheme: 'svc',
  isOembedRequired: true,
  wellKnownPath: '/.well-known/svc/server',
  wellKnownMember: 'svc.server',
  srvServices: ['_svc-fed._tcp', '_svc._tcp'],
};

export const MATRIX_DIALECT: Dialect = {
  name: 'matrix',
  pathPrefix: '/_matrix',
  sizeKey: 'matrix:image:size',
  mediaScheme: 'mxc',
  isOembedRequired: false,
  wellKnownPath: '/.well-known/matrix/server',
  wellKnownMember: 'm.server',
  srvServices: ['_matrix-fed._tcp', '_matrix._tcp'],
};

/** The names of a dialect by its setting. */
export function dialectOf(name: 'svc' | 'matrix'): Dialect {
  return name === 'matrix' ? MATRIX_DIALECT : SVC_DIALECT;
}

/** Folders below the path prefix under which clients ask for previews and media; all mean the same (SPEC §4.5). */
export const CLIENT_MEDIA_FOLDERS = ['media/r0', 'media/v1', 'media/v3', 'client/v1/media'] as const;
