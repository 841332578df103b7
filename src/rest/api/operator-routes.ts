import { z } from 'zod';

import { AUDIT_OUTCOMES } from '../../core/access/operators/audit.js';
import { MAX_SEARCH_CHARACTERS } from '../../core/store/sql/sql.js';
import { CREDENTIAL } from './credential.js';
import { objectSchema, schemaNamed } from './json-schema.js';
import { choiceParameter, textParameter, timeParameter } from './query-parameter.js';
import type { Operation, OperationMethod, PathParameter, Route, RouteAnswer, RouteMethod } from './route.js';

const JSON_TYPE = 'application/json';

/** In which form the audit table goes out. */
export const AUDIT_FORMAT = choiceParameter(
  { name: 'format', description: 'table or JSON Lines' },
  ['csv', 'jsonl'],
  'csv',
);

/** Filters of the audit table, the same as those of the list. */
export const AUDIT_FILTER = {
  search: textParameter(
    { name: 'search', description: 'text in the summary or target' },
    { maxLength: MAX_SEARCH_CHARACTERS },
  ),
  actor: textParameter({ name: 'actor', description: 'who did it' }),
  action: textParameter({ name: 'action', description: 'what was done' }),
  outcome: choiceParameter({ name: 'outcome', description: 'how it ended' }, AUDIT_OUTCOMES, null),
  changesOnly: choiceParameter(
    { name: 'changes_only', description: 'without sign-ins, tries, dry runs and exports' },
    ['true', 'false'],
    'false',
  ),
  after: timeParameter({ name: 'after', description: 'not before this time' }),
  before: timeParameter({ name: 'before', description: 'before this time' }),
};

const HIDDEN = [401, 403];
const READ = ['GET', 'HEAD'] as const;
const BYTES: RouteAnswer = {
  status: 200,
  description: 'The bytes; what is no image is a download.',
  content: { '*/*': {} },
  headers: ['ETag', 'Content-Disposition'],
};
const UNCHANGED: RouteAnswer = {
  status: 304,
  description: 'The copy of the browser is still good.',
  content: {},
};
const MEDIA_ID = { description: 'a media ID' };

/** A path of the operators' side. */
function operatorsRoute<M extends OperationMethod>(
  path: string,
  { methods, operations, parameters = {} }: OperatorsRoute<M>,
): Route<M> {
  return {
    tag: 'Operators',
    label: 'admin',
    base: 'operators',
    folders: [''],
    path,
    parameters,
    methods,
    operations,
  };
}

interface OperatorsRoute<M extends OperationMethod> {
  methods: readonly RouteMethod[];
  operations: Route<M>['operations'];
  parameters?: Readonly<Record<string, PathParameter>>;
}

/** Something to take along: it is in the audit table. */
function exportOperation(
  words: Pick<Operation, 'id' | 'summary' | 'query' | 'errors'>,
  types: readonly string[],
): Operation {
  const content = Object.fromEntries(types.map((type) => [type, { type: 'string' }]));
  const answers: RouteAnswer[] = [
    { status: 200, description: 'The file.', content, headers: ['Content-Disposition'] },
  ];
  return { ...words, access: 'operator', answers };
}

const SESSION_OPERATIONS: Record<OperationMethod, Operation> = {
  get: {
    id: 'getSession',
    summary: 'who is signed in, and the ways to do so',
    access: 'anybody',
    answers: [
      {
        status: 200,
        description: 'What anybody may know.',
        content: { [JSON_TYPE]: schemaNamed('Session') },
      },
    ],
    errors: [403],
  },
  post: {
    id: 'signIn',
    summary: 'signs in: the answer sets a cookie',
    access: 'anybody',
    body: { type: JSON_TYPE, schema: z.toJSONSchema(CREDENTIAL, { io: 'input' }) },
    answers: [
      {
        status: 200,
        description: 'Signed in.',
        content: { [JSON_TYPE]: objectSchema({ signedIn: { const: true } }) },
      },
    ],
    errors: [401, 403, 413, 415, 429],
  },
  delete: {
    id: 'signOut',
    summary: 'signs out',
    access: 'anybody',
    answers: [{ status: 204, description: 'Signed out.', content: {} }],
    errors: [403],
  },
};

const GRAPHQL: Operation = {
  id: 'runOperation',
  summary: 'one operation of the operators’ API',
  description:
    'GraphQL over HTTP. With `Accept: text/event-stream` an operation that has stages tells each as `event: stage`, and its answer as `event: answer`.',
  access: 'operator',
  body: {
    type: JSON_TYPE,
    schema: objectSchema(
      {
        query: { type: 'string' },
        variables: { type: ['object', 'null'] },
        operationName: { type: ['string', 'null'] },
      },
      ['variables', 'operationName'],
    ),
  },
  answers: [
    {
      status: 200,
      description: 'What it gives; errors of single fields stand in `errors`.',
      content: { [JSON_TYPE]: schemaNamed('GraphqlAnswer'), 'text/event-stream': { type: 'string' } },
    },
  ],
  errors: [400, 401, 403, 413, 415, 429],
};

function storedBytes(id: string, summary: string): Operation {
  return {
    id,
    summary,
    access: 'operator',
    answers: [BYTES, UNCHANGED],
    errors: [...HIDDEN, 404, 412, 416],
  };
}

/** What operators' pages and scripts ask, below `admin.base_path`. */
export const OPERATOR_ROUTES = {
  session: operatorsRoute('/session', {
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    operations: SESSION_OPERATIONS,
  }),
  graphql: operatorsRoute('/api/graphql', { methods: ['POST'], operations: { post: GRAPHQL } }),
  media: operatorsRoute('/api/media/{mediaId}', {
    methods: READ,
    parameters: { mediaId: MEDIA_ID },
    operations: { get: storedBytes('getStoredMedia', 'stored media') },
  }),
  thumbnail: operatorsRoute('/api/media/{mediaId}/thumbnail/{size}', {
    methods: READ,
    parameters: {
      mediaId: MEDIA_ID,
      size: { description: '`WIDTHxHEIGHT-crop` or `WIDTHxHEIGHT-scale`, such as `320x240-crop`' },
    },
    operations: { get: storedBytes('getStoredThumbnail', 'a thumbnail of it') },
  }),
  auditExport: operatorsRoute('/api/audit/export', {
    methods: ['GET'],
    operations: {
      get: exportOperation(
        {
          id: 'exportAudit',
          summary: 'the audit table as a file',
          query: [AUDIT_FORMAT, ...Object.values(AUDIT_FILTER)],
          errors: HIDDEN,
        },
        ['text/csv', 'application/jsonl'],
      ),
    },
  }),
};

/** The pages, which are served for every other path, and the way there. */
export const PAGE_ROUTES = {
  page: operatorsRoute('/{page}', {
    methods: READ,
    parameters: { page: { description: 'a page or a file of the pages, with its slashes; may be empty' } },
    operations: {
      get: {
        id: 'getPage',
        summary: 'the operators’ pages',
        access: 'anybody',
        answers: [{ status: 200, description: 'A page or one of its files.', content: { '*/*': {} } }],
        errors: [403, 404],
      },
    },
  }),
  root: {
    ...operatorsRoute('/', {
      methods: READ,
      operations: {
        get: {
          id: 'getRoot',
          summary: 'leads to the operators’ pages',
          access: 'anybody',
          answers: [{ status: 302, description: 'To the pages.', content: {}, headers: ['Location'] }],
          errors: [],
        },
      },
    }),
    base: 'root',
  } satisfies Route,
};
