import { graphql } from '../../gql/gql.js';
import type { AccessSessionsQuery, AccessTokensQuery } from '../../gql/graphql.js';

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
      deletedIds
    }
  }
`);

export type SessionRow = AccessSessionsQuery['sessions'][number];
export type TokenRow = AccessTokensQuery['apiTokens']['nodes'][number];
