import { graphql } from '../../gql/gql.js';
import type { KeyHistoryQuery } from '../../gql/graphql.js';

export const historyQuery = graphql(`
  query KeyHistory($server: String!, $first: Int, $after: String) {
    server(name: $server) {
      id
      history(first: $first, after: $after) {
        nodes {
          number
          from
          until
          recordNumber
          sha256
          firstSeenAt
          validUntil
          keys {
            keyId
            key
            expiredAt
          }
          keyCount
        }
        pageInfo {
          ...PageEnds
        }
      }
      acknowledgements {
        at
        actor
        reason
      }
    }
  }
`);

export type ServerHistory = NonNullable<KeyHistoryQuery['server']>;
export type BandData = ServerHistory['history']['nodes'][number];
