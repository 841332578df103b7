import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import {
  choiceParameter,
  integerParameter,
  positiveParameter,
  required,
  textParameter,
} from './query-parameter.js';
import type { Route } from './route.js';

/** The access token, for clients that cannot send a header. */
export const ACCESS_TOKEN = textParameter('access_token');

/** The user an application service asks for; passed on to the homeserver with the token. */
export const AS_USER = textParameter('user_id');

export const PREVIEW_URL = required(textParameter('url'), 'string');

/** POSIX ms for which the preview is wanted. */
export const PREVIEW_TS = integerParameter('ts');

/** Least width of a thumbnail. */
export const THUMBNAIL_WIDTH = required(positiveParameter('width'), 'integer');

/** Least height of a thumbnail. */
export const THUMBNAIL_HEIGHT = required(positiveParameter('height'), 'integer');

/** `scale` fits into the size, `crop` fills it. */
export const THUMBNAIL_METHOD = choiceParameter('method', ['scale', 'crop'], 'scale');

const FOLDERS = CLIENT_MEDIA_FOLDERS.map((folder) => `/${folder}`);

function mediaRoute(label: string, path: string): Route {
  return { label, folders: FOLDERS, path, methods: ['GET', 'HEAD', 'OPTIONS'] };
}

/** What clients ask for previews. */
export const PREVIEW_ROUTES = {
  preview: { label: 'preview', folders: FOLDERS, path: '/preview_url', methods: ['OPTIONS', 'GET'] },
} satisfies Record<string, Route>;

/** What clients ask for the images of previews, and whatever else was stored. */
export const MEDIA_ROUTES = {
  download: mediaRoute('media_download', '/download/{serverName}/{mediaId}'),
  downloadAs: mediaRoute('media_download', '/download/{serverName}/{mediaId}/{fileName}'),
  thumbnail: mediaRoute('media_thumbnail', '/thumbnail/{serverName}/{mediaId}'),
};
