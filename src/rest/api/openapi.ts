import { MATRIX_DIALECT, SVC_DIALECT } from '../../core/base/dialect.js';
import { ANSWER_SCHEMAS } from './answer-schemas.js';
import { MEDIA_ROUTES, PREVIEW_ROUTES } from './client-routes.js';
import { COMMON_ERRORS, ERROR_REASONS, ERROR_ROWS } from './errors.js';
import { schemaNamed, type JsonSchema } from './json-schema.js';
import { KEY_ROUTES } from './key-routes.js';
import { LOG_ROUTES } from './log-routes.js';
import { OPERATOR_ROUTES, PAGE_ROUTES } from './operator-routes.js';
import {
  pathsOf,
  type AnswerHeader,
  type Operation,
  type Route,
  type RouteAccess,
  type RouteBase,
} from './route.js';
import { HEALTH_ROUTES, METRICS_ROUTES } from './service-routes.js';

type Described = Readonly<Record<string, unknown>>;

/** A document of OpenAPI 3.1, as far as its readers look at it by name. */
export interface OpenApiDocument extends Described {
  readonly paths: Readonly<Record<string, Described>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'headers' | 'securitySchemes', Readonly<Record<string, Described>>>
  >;
}

/** Every route of the server, those for clients first. */
const ALL_ROUTES: readonly Route[] = [
  PREVIEW_ROUTES,
  MEDIA_ROUTES,
  KEY_ROUTES,
  LOG_ROUTES,
  HEALTH_ROUTES,
  METRICS_ROUTES,
  OPERATOR_ROUTES,
  PAGE_ROUTES,
].flatMap((routes) => Object.values<Route>(routes));

/** The document of everything the server answers, made of the routes it serves. */
export function openApiDocument(version: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vidimus',
      version,
      summary: 'A notary for other servers’ signing keys, and a URL preview service',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS.prefix,
    tags: [...new Set(ALL_ROUTES.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(ALL_ROUTES.flatMap(pathItems)),
    components: {
      schemas: { ...ANSWER_SCHEMAS, ErrorReason: ERROR_REASON },
      headers: HEADERS,
      responses: Object.fromEntries([
        ...statuses().map((status) => [nameOf(status, false), errorResponse(status, false)]),
        ...statuses().map((status) => [nameOf(status, true), errorResponse(status, true)]),
      ]),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const INTRODUCTION = [
  'Which of these paths a listener serves, its `resources` say; the others are 404 there.',
  'HEAD goes wherever GET does. OPTIONS of the paths of previews, media, keys and log answers browsers (CORS).',
  'A path with another method is 405 with `Allow`. A slash at the end of a path adds nothing.',
  'Times are POSIX times in milliseconds. Every answer has `X-Request-Id`, every error `Error-Reason`.',
].join('\n');

const ADDRESS = { default: 'http://127.0.0.1:8008', description: 'where the listener is reached' };

const SERVERS: Readonly<Record<RouteBase, readonly Described[]>> = {
  prefix: [
    {
      url: '{address}{prefix}',
      variables: {
        address: ADDRESS,
        prefix: {
          default: SVC_DIALECT.pathPrefix,
          enum: [SVC_DIALECT.pathPrefix, MATRIX_DIALECT.pathPrefix],
          description: 'by `dialect`',
        },
      },
    },
  ],
  root: [{ url: '{address}', variables: { address: ADDRESS } }],
  operators: [
    {
      url: '{address}{base_path}',
      variables: {
        address: { ...ADDRESS, default: 'http://127.0.0.1:8009' },
        base_path: { default: '/admin', description: '`admin.base_path`' },
      },
    },
  ],
};

const SECURITY_SCHEMES = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'of a user: from the operator, or with `dialect: matrix` from the homeserver',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'of the scopes `admin`, `admin_operate`, `admin_read`',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'of the scope `metrics`' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-vidimus_session',
    description: 'what signing in sets',
  },
};

const SECURITY: Readonly<Record<RouteAccess, readonly Described[]>> = {
  anybody: [],
  user: [{ accessToken: [] }],
  media: [{ accessToken: [] }, {}],
  operator: [{ session: [] }, { operatorToken: [] }],
  metrics: [{ metricsToken: [] }, {}],
};

const ERROR_REASON: JsonSchema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  description: 'What happened, more finely than `errcode` says. Values may be added.',
  'x-extensible-enum': Object.keys(ERROR_REASONS),
  'x-enum-descriptions': Object.fromEntries(
    Object.entries(ERROR_REASONS).map(([name, { statuses, meaning }]) => [
      name,
      `${statuses.join(', ')}: ${meaning}`,
    ]),
  ),
};

const HEADERS: Readonly<Record<AnswerHeader | 'Error-Reason' | 'X-Request-Id', Described>> = {
  'X-Request-Id': {
    description: 'What the operator finds in the log.',
    required: true,
    schema: { type: 'string' },
  },
  'Error-Reason': {
    description: 'What happened, more finely.',
    required: true,
    schema: schemaNamed('ErrorReason'),
  },
  'Retry-After': {
    description: 'Seconds to wait before asking again. Without it, asking again soon gives the same answer.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: { description: 'Strong (RFC 9110 §8.8.3).', required: true, schema: { type: 'string' } },
  'Content-Range': { description: 'Which part it is.', required: true, schema: { type: 'string' } },
  'Content-Disposition': {
    description: 'Whether it is shown in place, and its name.',
    required: true,
    schema: { type: 'string' },
  },
  Location: { description: 'Where that is.', required: true, schema: { type: 'string' } },
};

function statuses(): number[] {
  return [...new Set(ERROR_ROWS.flatMap((row) => row.statuses))].sort((a, b) => a - b);
}

function nameOf(status: number, isOperators: boolean): string {
  return isOperators ? `OperatorError${status}` : `Error${status}`;
}

/** Errors of requests that cannot be read, so that nothing is known of their path. */
const UNROUTED: readonly number[] = [400, 408, 417, 431];

function errorResponse(status: number, isOperators: boolean): Described {
  const rows = ERROR_ROWS.filter((row) => row.statuses.includes(status));
  const words = rows.map(
    ({ errcodes, meaning }) => `${errcodes.map((code) => `\`${code}\``).join(', ')}: ${meaning}`,
  );
  // A refused operation says in its body, by its code, what happened.
  const reason = isOperators ? [] : ['Error-Reason'];
  const names = [...reason, 'X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])];
  const isEither = isOperators && UNROUTED.includes(status);
  const form = `in the form that GraphQL has${isEither ? ', or in that one where the request could not be read' : ''}`;
  const schema = schemaNamed(isOperators ? 'OperatorError' : 'Error');
  return {
    description: isOperators ? `As \`Error${status}\`, ${form}.` : words.join('\n'),
    headers: headersNamed(names),
    content: {
      'application/json': { schema: isEither ? { anyOf: [schema, schemaNamed('Error')] } : schema },
    },
  };
}

function headersNamed(names: readonly string[]): Described {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One path item for each folder; the names of operations tell all but the last folder apart. */
function pathItems(route: Route): [string, Described][] {
  const { base, parameters, operations, tag } = route;
  const named = Object.entries(parameters).map(([name, { description, pattern }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...(pattern === undefined ? {} : { pattern: `^${pattern}$` }) },
  }));
  return pathsOf(route).map((path, index) => {
    const suffix = index === 0 ? '' : `_${(route.folders[index] ?? '').replaceAll(/\W+/g, '')}`;
    const described = Object.entries(operations).map(([method, operation]): [string, Described] => [
      method,
      { tags: [tag], ...describe(operation, base === 'operators'), operationId: `${operation.id}${suffix}` },
    ]);
    const servers = base === 'prefix' ? {} : { servers: SERVERS[base] };
    return [path, { ...servers, parameters: named, ...Object.fromEntries(described) }];
  });
}

function describe(operation: Operation, isOperators: boolean): Described {
  const { summary, description, access, query = [], body, isDeprecated = false } = operation;
  const parameters = query.map(({ name, isRequired, description: words, schema }) => ({
    name,
    in: 'query',
    required: isRequired,
    description: words,
    schema,
  }));
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isDeprecated ? { deprecated: true } : {}),
    security: SECURITY[access],
    parameters,
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [body.type]: { schema: body.schema } } } }),
    responses: responsesOf(operation, isOperators),
  };
}

function responsesOf({ answers, errors }: Operation, isOperators: boolean): Described {
  const failures = [...new Set([...COMMON_ERRORS, ...errors])].sort((a, b) => a - b);
  const own = answers.map(({ status, description, content, headers = [] }): [string, Described] => [
    String(status),
    {
      description,
      headers: headersNamed(['X-Request-Id', ...headers]),
      content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
    },
  ]);
  const failed = failures.map((status): [string, Described] => [
    String(status),
    { $ref: `#/components/responses/${nameOf(status, isOperators)}` },
  ]);
  return Object.fromEntries([...failed, ...own]);
}
