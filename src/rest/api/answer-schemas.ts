import { mapSchema, objectSchema, type JsonSchema } from './json-schema.js';

const TS = { type: 'integer', description: 'POSIX time in milliseconds' };
const TEXT_OR_NULL = ['string', 'null'];

const PREVIEW: JsonSchema = {
  type: 'object',
  description:
    'One flat object. Each member may be absent; `{}` means that there was nothing to find. Only the facts about the image are ours; all else is untrusted text.',
  properties: {
    'og:title': { type: TEXT_OR_NULL, description: 'title of the page' },
    'og:description': { type: TEXT_OR_NULL, description: 'text of the page; of an image its file name' },
    'og:image': {
      type: 'string',
      pattern: String.raw`^[a-z][a-z0-9+.-]*://[^/]+/[^/]+$`,
      description: 'our copy of its image, as an address `SCHEME://SERVER/MEDIA_ID`',
    },
    'og:image:type': { type: 'string', description: 'its media type' },
    'og:image:width': { type: 'integer', minimum: 1, description: 'its width in pixels; with the height' },
    'og:image:height': { type: 'integer', minimum: 1, description: 'its height in pixels; with the width' },
    'svc:image:size': { type: 'integer', minimum: 0, description: 'its size in bytes' },
    'matrix:image:size': {
      type: 'integer',
      minimum: 0,
      description: 'the same, with `dialect: matrix` instead',
    },
    'svc:image:blurhash': {
      type: 'string',
      description: 'a blurred placeholder, where the operator has it on',
    },
    'matrix:image:blurhash': { type: 'string', description: 'the same, with `dialect: matrix` instead' },
  },
  dependentRequired: {
    'og:image:width': ['og:image:height'],
    'og:image:height': ['og:image:width'],
  },
  additionalProperties: {
    type: ['string', 'integer', 'null'],
    description: 'what else the page states as Open Graph (`og:site_name`, `og:type`, …), as it states it',
  },
};

const KEY_RECORD: JsonSchema = {
  description: 'A key record as its server published it, with our signatures beside those of the server.',
  ...objectSchema(
    {
      server_name: { type: 'string', description: 'the server whose keys these are' },
      valid_until_ts: { ...TS, description: 'until when its publisher vouches for the record' },
      verify_keys: mapSchema(objectSchema({ key: { type: 'string' } }), 'key ID → public key in Base64'),
      old_verify_keys: mapSchema(
        objectSchema({ key: { type: 'string' }, expired_ts: TS }, ['expired_ts']),
        'key ID → keys out of use, and since when',
      ),
      signatures: mapSchema(
        { type: 'object', additionalProperties: { type: 'string' } },
        'signing server → key ID → signature in Base64',
      ),
    },
    ['old_verify_keys'],
  ),
};

const ERROR: JsonSchema = {
  description: 'An error for peers and clients.',
  ...objectSchema(
    {
      errcode: { type: 'string', pattern: '^M_[A-Z_]+$', description: 'to branch on, with the status' },
      error: { type: 'string', description: 'a sentence' },
      retry_after_ms: { type: 'number', description: 'with `M_LIMIT_EXCEEDED`' },
      soft_logout: { type: 'boolean', description: 'with `M_UNKNOWN_TOKEN`' },
    },
    ['retry_after_ms', 'soft_logout'],
  ),
};

const OPERATOR_ERROR: JsonSchema = {
  description: 'An error on the operators’ side, in the form that GraphQL has.',
  ...objectSchema({
    errors: {
      type: 'array',
      minItems: 1,
      items: objectSchema({
        message: { type: 'string' },
        extensions: objectSchema({
          code: { type: 'string', pattern: '^[A-Z_]+$' },
          requestId: { type: 'string' },
        }),
      }),
    },
  }),
};

const READINESS: JsonSchema = objectSchema({
  status: { enum: ['ready', 'not_ready'] },
  phase: { type: 'string', description: 'where the process is between start and end' },
  reason: { type: TEXT_OR_NULL, description: 'why it is not ready, as a sentence' },
});

const SESSION: JsonSchema = objectSchema({
  signedIn: { type: 'boolean' },
  ways: { type: 'array', items: { enum: ['code', 'token', 'homeserver'] } },
  serverName: { type: 'string' },
  version: { type: 'string' },
  pathPrefix: { type: 'string' },
  publicUrl: { type: 'string' },
  environment: {
    anyOf: [{ type: 'null' }, objectSchema({ label: { type: 'string' }, color: { type: 'string' } })],
  },
});

const GRAPHQL_ANSWER: JsonSchema = {
  description: 'What the operation gives, by the schema of the operators’ API.',
  ...objectSchema({ data: { type: ['object', 'null'] }, errors: { type: 'array' } }, ['data', 'errors']),
};

/** Forms of answers, by the names they have in the document. */
export const ANSWER_SCHEMAS = {
  Preview: PREVIEW,
  KeyRecord: KEY_RECORD,
  Error: ERROR,
  OperatorError: OPERATOR_ERROR,
  Readiness: READINESS,
  Session: SESSION,
  GraphqlAnswer: GRAPHQL_ANSWER,
};
