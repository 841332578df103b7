import { TOKEN_SCOPES } from '../../../core/access/users/access-token-store.js';
import {
  at,
  list,
  mutation,
  readNumber,
  SPAN,
  textAt,
  valuesAt,
  word,
  type Operation,
} from '../operation.js';

/** Who came in, and what was changed. */
export const ACCESS_OPERATIONS: readonly Operation[] = [
  {
    command: 'token create',
    text: 'make an access token; it is shown this once',
    examples: [
      '--user @alice:example.org --name laptop --expires-in-days 30 -c config.yaml',
      '--scope admin_write --name "night script" -c config.yaml',
      '--scope metrics --name prometheus -c config.yaml',
    ],
    document: mutation(
      'createApiToken',
      '$expiresInDays: Int, $name: String!, $scopes: [TokenScope!]!, $user: String',
      'secret token { id name user scopes expiresAt }',
    ),
    parameters: [
      {
        flags: '-n, --name <text>',
        text: 'its purpose, 1 to 100 characters (command line)',
        to: 'name',
      },
      {
        flags: '-u, --user <id>',
        text: 'the user of its previews, such as @alice:example.org',
        to: 'user',
      },
      {
        flags: '-s, --scope <scope...>',
        text: 'what it allows (preview)',
        to: 'scopes',
        choices: TOKEN_SCOPES,
      },
      {
        flags: '-e, --expires-in-days <days>',
        text: 'when it ends (never)',
        to: 'expiresInDays',
        read: readNumber,
      },
    ],
    variables: { name: 'command line', scopes: ['PREVIEW'] },
    shows: (answer) => textAt(answer, 'secret'),
  },
  {
    command: 'token ls',
    text: 'list all tokens, newest first; the tokens themselves are not stored',
    examples: ['-c config.yaml', '--all --json -c config.yaml'],
    document: `query ($includeRevoked: Boolean! = false, $first: Int, $after: String) {
      apiTokens(includeRevoked: $includeRevoked, first: $first, after: $after) {
        nodes { id name scopes user hint createdBy createdAt expiresAt lastUsedAt revokedAt }
        pageInfo { hasNextPage endCursor } } }`,
    parameters: [{ flags: '--all', text: 'revoked ones too', to: 'includeRevoked' }],
    shows: {
      columns: {
        ID: 'id',
        SCOPES: (token) => valuesAt(token, 'scopes').join(', ').toLowerCase(),
        USER: 'user',
        CREATED: 'createdAt',
        EXPIRES: 'expiresAt',
        'LAST USED': 'lastUsedAt',
        NAME: 'name',
      },
      empty: 'There are no tokens.',
    },
  },
  {
    command: 'token revoke',
    text: 'end a token by its ID, at once',
    examples: ['TOKEN_ID -c config.yaml'],
    document: mutation('revokeApiToken', '$id: ID!', 'token { id revokedAt }'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus token ls"', to: 'id' }],
    shows: (answer) => `Revoked: ${textAt(answer, 'token.id')}`,
    lists: 'token ls',
  },
  {
    command: 'session ls',
    text: 'list the sessions that have not ended',
    examples: ['-c config.yaml', '-c config.yaml --json'],
    document: 'query { sessions { id actor method address userAgent createdAt lastSeenAt expiresAt } }',
    shows: {
      columns: {
        ID: 'id',
        WHO: 'actor',
        'CAME IN BY': word('method'),
        FROM: 'address',
        SINCE: 'createdAt',
        'LAST SEEN': 'lastSeenAt',
        ENDS: 'expiresAt',
      },
      empty: 'Nobody is signed in.',
    },
  },
  {
    command: 'session end',
    text: 'sign a session out, at once',
    examples: ['SESSION_ID -c config.yaml'],
    document: mutation('endSession', '$id: ID', 'deletedIds'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus session ls"', to: 'id' }],
    shows: (answer) => `Ended: ${textAt(answer, 'deletedIds.0')}`,
    lists: 'session ls',
  },
  {
    command: 'audit',
    text: 'what operators and commands changed, newest first',
    examples: [
      '-c config.yaml --since 24h',
      '-c config.yaml --since 2026-11-01 --until 2026-11-08 --actor ana --json',
      '-c config.yaml --action deletePreviews --all',
    ],
    document: list(
      'auditEvents',
      'id at actor role method action targetType targetId summary outcome address requestId detail',
      'AuditFilter',
    ),
    variables: { filter: { changesOnly: true } },
    parameters: [
      {
        flags: '--all',
        text: 'with what changed nothing, such as sign-ins, tries and exports',
        to: 'filter.changesOnly',
        value: false,
      },
      ...SPAN,
      { flags: '--actor <name>', text: 'of one who did it', to: 'filter.actor' },
      {
        flags: '--action <name>',
        text: 'of one operation, such as deletePreviews',
        to: 'filter.action',
        read: enumOf,
      },
      {
        flags: '--outcome <outcome>',
        text: 'how it went',
        to: 'filter.outcome',
        choices: ['ok', 'failed', 'cancelled'],
      },
      {
        flags: '--search <text>',
        text: 'part of the sentence, the actor, the operation, the target or the request id',
        to: 'filter.search',
      },
    ],
    shows: {
      columns: {
        AT: 'at',
        WHO: 'actor',
        BY: word('method'),
        ACTION: (entry) => operationOf(textAt(entry, 'action')),
        OUTCOME: word('outcome'),
        WHAT: 'summary',
      },
      empty: 'Nothing matches; --all shows what changed nothing, too.',
    },
  },
  {
    command: 'config reload',
    text: 'have the running server read its configuration again',
    examples: ['--dry-run -c config.yaml', '-c config.yaml'],
    document: mutation(
      'reloadSettings',
      '$dryRun: Boolean! = false',
      'restartNeeded changed { path restartNeeded runningValue value secret }',
    ),
    parameters: [{ flags: '--dry-run', text: 'only say what would change', to: 'dryRun' }],
    variables: { dryRun: false },
    shows: reloadLines,
  },
];

function reloadLines(answer: unknown): string[] {
  const changed = at(answer, 'changed');
  if (!Array.isArray(changed) || changed.length === 0) return ['Nothing differs from what is in effect.'];
  const valueOf = (setting: unknown, path: string): string =>
    at(setting, 'secret') === true ? '(secret)' : JSON.stringify(at(setting, path));
  return changed.map((setting) => {
    const waits = at(setting, 'restartNeeded') === true ? '  (needs a restart)' : '';
    return `${textAt(setting, 'path')}: ${valueOf(setting, 'runningValue')} → ${valueOf(setting, 'value')}${waits}`;
  });
}

/** `deletePreviews` as the API names it: `DELETE_PREVIEWS`. */
function enumOf(operation: string): string {
  return operation.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
}

function operationOf(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
