import { graphql } from '../../gql/gql.js';
import type { KeyHistoryQuery } from '../../gql/graphql.js';

export const historyQuery = graphql(`
  query KeyHistory($server: String!, $first: Int, $after: String) {
    server(name: $server) {
      id
      history(first: $first, after: $after) {
        bands {
          number
          from
          until
          recordNumber
          sha256
          firstSeenAt
          validUntil
          validUntilMs
          keyIds
          keyCount
        }
        pageInfo {
          ...PageEnds
        }
        keys {
          keyId
          pieces {
            from
            until
            key
            kind
            validUntil
          }
        }
        keysLeftOut
        marks {
          kind
          from
          until
          keyId
          sentence
        }
      }
    }
  }
`);

export type HistoryData = NonNullable<KeyHistoryQuery['server']>['history'];
export type BandData = HistoryData['bands'][number];
export type KeyData = HistoryData['keys'][number];
export type MarkData = HistoryData['marks'][number];
