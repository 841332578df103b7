import { TOKEN_SCOPES } from '../../../core/access/users/access-token-store.js';
import { list, mutation, readNumber, since, textAt, valuesAt, word, type Operation } from '../operation.js';

export const ACCESS_OPERATIONS: readonly Operation[] = [
  {
    command: 'token create',
    text: 'create an access token; it is shown only once',
    example: '--user @alice:example.org --name laptop --expires-in-days 30',
    document: mutation(
      'createApiToken',
      '$expiresInDays: Int, $name: String!, $scopes: [TokenScope!]!, $user: String',
      'secret token { id name user scopes expiresAt }',
    ),
    parameters: [
      { flags: '-n, --name <text>', text: 'name in lists (command line)', to: 'name' },
      { flags: '-u, --user <id>', text: 'user whose previews it requests', to: 'user' },
      { flags: '-s, --scope <scope...>', text: 'permissions (preview)', to: 'scopes', choices: TOKEN_SCOPES },
      {
        flags: '-e, --expires-in-days <days>',
        text: 'lifetime (unlimited)',
        to: 'expiresInDays',
        read: readNumber,
      },
    ],
    variables: { name: 'command line', scopes: ['PREVIEW'] },
    shows: (answer) => textAt(answer, 'secret'),
  },
  {
    command: 'token ls',
    text: 'list all tokens, newest first, without their secrets',
    document: `query ($includeRevoked: Boolean! = false, $first: Int, $after: String) {
      apiTokens(includeRevoked: $includeRevoked, first: $first, after: $after) {
        nodes { id name scopes user hint createdBy createdAt expiresAt lastUsedAt revokedAt }
        pageInfo { hasNextPage endCursor } } }`,
    parameters: [{ flags: '--all', text: 'include revoked tokens', to: 'includeRevoked' }],
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
    text: 'revoke a token at once',
    example: 'TOKEN_ID',
    document: mutation('revokeApiToken', '$id: ID!', 'token { id revokedAt }'),
    parameters: [{ flags: '<id>', text: 'an ID from "vidimus token ls"', to: 'id' }],
    shows: (answer) => `Revoked: ${textAt(answer, 'token.id')}`,
  },
  {
    command: 'audit',
    text: 'list changes by operators and commands',
    example: '--since 24h --actor ana',
    document: list(
      'auditEvents',
      'id at actor role method action targetType targetId summary outcome address requestId detail',
      'AuditFilter',
    ),
    variables: { filter: { changesOnly: true } },
    parameters: [
      { flags: '--all', text: 'include sign-ins and tries', to: 'filter.changesOnly', value: false },
      since('filter.after'),
      { flags: '--actor <name>', text: 'by one operator', to: 'filter.actor' },
      {
        flags: '--action <name>',
        text: 'of one kind, such as deletePreviews',
        to: 'filter.action',
        read: readAction,
      },
    ],
    shows: {
      columns: {
        AT: 'at',
        ACTOR: 'actor',
        METHOD: word('method'),
        ACTION: word('action'),
        OUTCOME: word('outcome'),
        SUMMARY: 'summary',
      },
      empty: 'Nothing matches.',
    },
  },
];

/** `deletePreviews` is `DELETE_PREVIEWS` in the API. */
function readAction(text: string): string {
  return text.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
}
