import { graphql } from '../../gql/gql.js';
import type { KeysPageQuery } from '../../gql/graphql.js';

export const keysQuery = graphql(`
  query KeysPage(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $filter: ServerFilter
    $sortBy: ServerSortField
    $direction: SortDirection
  ) {
    servers(
      first: $first
      after: $after
      last: $last
      before: $before
      filter: $filter
      sortBy: $sortBy
      direction: $direction
    ) {
      nodes {
        id
        name
        federationAllowed
        worstState
        needsLook
        keyCount
        addedAt
        validUntil
        refetchAfter
        failCount
        failureCause
        backoffUntil
        lastFetch {
          id
          startedAt
          outcome
          message
        }
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export type ServerRow = KeysPageQuery['servers']['nodes'][number];
