import { graphql } from '../../gql/gql.js';
import type { KeyEventsPageQuery } from '../../gql/graphql.js';

export const eventsQuery = graphql(`
  query KeyEventsPage($first: Int, $after: String, $last: Int, $before: String, $filter: KeyEventFilter) {
    keyEvents(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes {
        id
        at
        kind
        severity
        message
        keyId
        acknowledged
        acknowledgement {
          at
          actor
          reason
        }
        server {
          id
          name
        }
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export type EventRow = KeyEventsPageQuery['keyEvents']['nodes'][number];
