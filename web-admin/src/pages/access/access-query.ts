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
      totalCount {
        ...Total
      }
    }
  }
`);

export const createTokenMutation = graphql(`
  mutation CreateApiToken($input: CreateApiTokenInput!) {
    createApiToken(input: $input) {
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
  mutation RevokeApiToken($input: RevokeApiTokenInput!) {
    revokeApiToken(input: $input) {
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
  mutation EndSession($input: EndSessionInput!) {
    endSession(input: $input) {
      userErrors {
        code
        message
      }
      endedId
    }
  }
`);

export type SessionRow = AccessSessionsQuery['sessions'][number];
export type TokenRow = AccessTokensQuery['apiTokens']['nodes'][number];
