import { objectSchema, schemaNamed, type JsonSchema } from './json-schema.js';
import { integerParameter } from './query-parameter.js';
import type { Operation, Route } from './route.js';

/** Until when a record has to be valid. */
export const MINIMUM_VALID_UNTIL = integerParameter({
  name: 'minimum_valid_until_ts',
  description: 'POSIX time in milliseconds until which the record has to be valid; else it is fetched again',
});

/** Body of a key query: server name → key ID → criteria (SPEC §2.2). `readKeyQuery` reads it. */
const KEY_QUERY: JsonSchema = objectSchema({
  server_keys: {
    type: 'object',
    description:
      'server name → key ID → `{"minimum_valid_until_ts": 0}`; an empty object asks for all its keys',
    maxProperties: 1000,
    additionalProperties: {
      type: 'object',
      maxProperties: 100,
      additionalProperties: {
        type: 'object',
        properties: { minimum_valid_until_ts: { type: ['integer', 'null'] } },
      },
    },
  },
});

const RECORDS = {
  status: 200,
  description: 'The records, in no order; servers of which nothing is known are missing.',
  content: {
    'application/json': objectSchema({ server_keys: { type: 'array', items: schemaNamed('KeyRecord') } }),
  },
};
const OWN_RECORD = {
  status: 200,
  description: 'Our own record.',
  content: { 'application/json': schemaNamed('KeyRecord') },
};
const SERVER_NAME = { description: 'the server whose keys are wanted' };
const KEY_ID = { description: 'algorithm and version, such as `ed25519:a1`' };

function readRoute(
  label: string,
  path: string,
  { parameters, get }: Pick<Route, 'parameters'> & { get: Operation },
): Route {
  const methods = ['GET', 'HEAD', 'OPTIONS'] as const;
  return {
    tag: 'Keys',
    label,
    base: 'prefix',
    folders: [''],
    path,
    parameters,
    methods,
    operations: { get },
  };
}

const QUERY: Route = {
  tag: 'Keys',
  label: 'key_query',
  base: 'prefix',
  folders: [''],
  path: '/key/v2/query',
  parameters: {},
  methods: ['POST', 'OPTIONS'],
  operations: {
    post: {
      id: 'queryKeys',
      summary: 'records of many servers, fetched where needed',
      access: 'anybody',
      body: { type: 'application/json', schema: KEY_QUERY },
      answers: [RECORDS],
      errors: [413, 415],
    },
  },
};

/** Key queries and our own record. Where two paths fit, the first with the method counts. */
export const KEY_ROUTES = {
  query: QUERY,
  queryServer: readRoute('key_query', '/key/v2/query/{serverName}', {
    parameters: { serverName: SERVER_NAME },
    get: {
      id: 'queryServer',
      summary: 'all records stored of a server, in `server_keys`',
      access: 'anybody',
      answers: [RECORDS],
      errors: [413],
    },
  }),
  queryKey: readRoute('key_query', '/key/v2/query/{serverName}/{keyId}', {
    parameters: { serverName: SERVER_NAME, keyId: KEY_ID },
    get: {
      id: 'queryKey',
      summary: 'the record with one key, fetched where needed',
      access: 'anybody',
      query: [MINIMUM_VALID_UNTIL],
      answers: [RECORDS],
      errors: [413],
      isDeprecated: true,
    },
  }),
  own: readRoute('own_keys', '/key/v2/server', {
    parameters: {},
    get: {
      id: 'getOwnKeys',
      summary: 'our own key record',
      description: '404 where the homeserver of the same name publishes its record itself.',
      access: 'anybody',
      answers: [OWN_RECORD],
      errors: [404],
    },
  }),
  ownKey: readRoute('own_keys', '/key/v2/server/{keyId}', {
    parameters: { keyId: KEY_ID },
    get: {
      id: 'getOwnKey',
      summary: 'the same, whatever the key ID',
      access: 'anybody',
      answers: [OWN_RECORD],
      errors: [404],
      isDeprecated: true,
    },
  }),
};
