import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { schemaNamed } from './json-schema.js';
import {
  choiceParameter,
  integerParameter,
  positiveParameter,
  required,
  textParameter,
  type QueryParameter,
} from './query-parameter.js';
import type { PathParameter, Route, RouteAnswer } from './route.js';

/** Where a token may stand beside the header; a proxy's log shows it there. */
export const ACCESS_TOKEN = textParameter({
  name: 'access_token',
  description: 'the access token, where a header cannot be sent',
});

/** For whom a service with a token of its own asks. */
export const AS_USER = textParameter({
  name: 'user_id',
  description: 'handed on to the homeserver with the token: for whom an application service asks',
});

export const PREVIEW_URL = required(
  textParameter({
    name: 'url',
    description: 'http or https, at most 8,192 characters, percent-encoded as UTF-8',
  }),
);

/** For when it is to be previewed. */
export const PREVIEW_TS = integerParameter({
  name: 'ts',
  description: 'for which time the preview is wanted, POSIX time in milliseconds; without it now',
});

/** Least width of a thumbnail. */
export const THUMBNAIL_WIDTH = required(positiveParameter({ name: 'width', description: 'pixels' }));

/** Least height of a thumbnail. */
export const THUMBNAIL_HEIGHT = required(positiveParameter({ name: 'height', description: 'pixels' }));

/** How a thumbnail is made. */
export const THUMBNAIL_METHOD = choiceParameter(
  { name: 'method', description: '`scale` fits into the size, `crop` fills it' },
  ['scale', 'crop'],
  'scale',
);

/** The folder that the examples name; the others mean the same. */
const MAIN_FOLDER = 'media/v3';
const FOLDERS = [MAIN_FOLDER, ...CLIENT_MEDIA_FOLDERS.filter((folder) => folder !== MAIN_FOLDER)].map(
  (folder) => `/${folder}`,
);
const SERVER_NAME = { description: 'our server name, as in `og:image`' };
const MEDIA_ID = { description: 'the media ID, as in `og:image`' };

const PART: RouteAnswer = {
  status: 206,
  description: 'The part that was asked for (RFC 9110 §14).',
  content: { '*/*': {} },
  headers: ['ETag', 'Content-Range', 'Content-Disposition'],
};
const UNCHANGED: RouteAnswer = {
  status: 304,
  description: 'The copy of the client is still good.',
  content: {},
  headers: ['ETag'],
};

function mediaRoute(label: string, path: string, operation: MediaOperation): Route<'get'> {
  const { parameters = {}, query = [], ...rest } = operation;
  return {
    tag: 'Previews and media',
    label,
    base: 'prefix',
    folders: FOLDERS,
    path,
    parameters: { serverName: SERVER_NAME, mediaId: MEDIA_ID, ...parameters },
    methods: ['GET', 'HEAD', 'OPTIONS'],
    operations: {
      get: {
        ...rest,
        access: 'media',
        query: [...query, ACCESS_TOKEN, AS_USER],
        answers: [
          {
            status: 200,
            description: 'The bytes. Nothing in them may run; clients may keep them for a day.',
            content: { '*/*': {} },
            headers: ['ETag', 'Content-Disposition'],
          },
          PART,
          UNCHANGED,
        ],
        errors: [401, 403, 404, 412, 416],
      },
    },
  };
}

interface MediaOperation {
  id: string;
  summary: string;
  description?: string;
  parameters?: Readonly<Record<string, PathParameter>>;
  query?: readonly QueryParameter<unknown>[];
}

const PREVIEW: Route<'get'> = {
  tag: 'Previews and media',
  label: 'preview',
  base: 'prefix',
  folders: FOLDERS,
  path: '/preview_url',
  parameters: {},
  methods: ['OPTIONS', 'GET'],
  operations: {
    get: {
      id: 'getPreview',
      summary: 'preview of an address',
      description: 'What an address leads to: downloaded, or known since not longer than an hour.',
      access: 'user',
      query: [PREVIEW_URL, PREVIEW_TS, ACCESS_TOKEN, AS_USER],
      answers: [
        { status: 200, description: 'The preview.', content: { 'application/json': schemaNamed('Preview') } },
      ],
      errors: [401, 403, 429, 502, 504],
    },
  },
};

/** What clients ask for previews. */
export const PREVIEW_ROUTES = { preview: PREVIEW };

/** What clients ask for the images of previews, and whatever else was stored. */
export const MEDIA_ROUTES = {
  download: mediaRoute('media_download', '/download/{serverName}/{mediaId}', {
    id: 'downloadMedia',
    summary: 'the stored image or file',
  }),
  downloadAs: mediaRoute('media_download', '/download/{serverName}/{mediaId}/{fileName}', {
    id: 'downloadMediaAs',
    summary: 'the same, named as the path says',
    parameters: { fileName: { description: 'the name to save it under' } },
  }),
  thumbnail: mediaRoute('media_thumbnail', '/thumbnail/{serverName}/{mediaId}', {
    id: 'getThumbnail',
    summary: 'an image made of it',
    description:
      'The smallest thumbnail that is large enough, of the method asked for if there is one, else the largest.',
    query: [THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, THUMBNAIL_METHOD],
  }),
};
