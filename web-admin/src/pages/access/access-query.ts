import { graphql } from '../../gql/gql.js';
import type {
  AccessSessionsQuery,
  AccessTokensQuery,
  SignInMethod,
  TokenScope,
  AuditPageQuery,
} from '../../gql/graphql.js';

export const sessionsQuery = graphql(`
  query AccessSessions {
    sessions {
      id
      actor
      method
      createdAt
      lastSeenAt
      expiresAt
      address
      userAgent
      isCurrent
    }
  }
`);

export const tokensQuery = graphql(`
  query AccessTokens($first: Int, $after: String, $includeRevoked: Boolean!) {
    apiTokens(first: $first, after: $after, includeRevoked: $includeRevoked) {
      nodes {
        id
        name
        hint
        scopes
        user
        createdAt
        createdBy
        expiresAt
        lastUsedAt
        revokedAt
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export const createTokenMutation = graphql(`
  mutation CreateApiToken($expiresInDays: Int, $name: String!, $scopes: [TokenScope!]!, $user: String) {
    createApiToken(expiresInDays: $expiresInDays, name: $name, scopes: $scopes, user: $user) {
      userErrors {
        code
        message
        field
      }
      token {
        id
        name
      }
      secret
    }
  }
`);

export const revokeTokenMutation = graphql(`
  mutation RevokeApiToken($id: ID!) {
    revokeApiToken(id: $id) {
      userErrors {
        code
        message
      }
      token {
        id
        revokedAt
      }
    }
  }
`);

export const endSessionMutation = graphql(`
  mutation EndSession($id: ID) {
    endSession(id: $id) {
      userErrors {
        code
        message
      }
      deleted
    }
  }
`);

export type SessionRow = AccessSessionsQuery['sessions'][number];
export type TokenRow = AccessTokensQuery['apiTokens']['nodes'][number];

/** How somebody has signed in, in words. */
export const METHOD_WORDS: Readonly<Record<SignInMethod, string>> = {
  CODE: 'one-time code',
  ADMIN_TOKEN: 'token, signed in',
  API_TOKEN: 'API token',
  HOMESERVER: 'homeserver account',
  COMMAND: 'command line',
};

/** What each permission allows. */
export const SCOPES: Readonly<Record<TokenScope, { label: string; words: string }>> = {
  PREVIEW: { label: 'Previews', words: 'Request previews and load media as one user.' },
  ADMIN_READ: { label: 'Read', words: 'Read everything a viewer sees here. Also signs in as a viewer.' },
  ADMIN_OPERATE: {
    label: 'Operate',
    words: 'Try, refresh, block and delete previews. Also signs in as an operator.',
  },
  ADMIN_WRITE: {
    label: 'Administer',
    words: 'Everything an admin may do, including deletion. Also signs in as an admin.',
  },
  METRICS: { label: 'Metrics', words: 'Read the metrics for Prometheus.' },
};

/** In the order of the dialog. */
export const SCOPE_NAMES: readonly TokenScope[] = [
  'PREVIEW',
  'ADMIN_READ',
  'ADMIN_OPERATE',
  'ADMIN_WRITE',
  'METRICS',
];

export const auditQuery = graphql(`
  query AuditPage($first: Int, $after: String, $filter: AuditFilter) {
    auditEvents(first: $first, after: $after, filter: $filter) {
      nodes {
        id
        at
        actor
        role
        method
        action
        targetType
        targetId
        summary
        outcome
        address
        requestId
        detail
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export type AuditRow = AuditPageQuery['auditEvents']['nodes'][number];
