import { graphql } from '../../../gql/gql.js';
import type { KeyAnswerAtQuery, KeyHistoryQuery, RecordDiffQuery } from '../../../gql/graphql.js';

export const historyQuery = graphql(`
  query KeyHistory($server: String!, $first: Int, $after: String) {
    keyHistory(server: $server, first: $first, after: $after) {
      bands {
        nodes {
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
        totalCount {
          ...Total
        }
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
`);

export const answerQuery = graphql(`
  query KeyAnswerAt($server: String!, $at: DateTime!) {
    keyAnswerAt(server: $server, at: $at) {
      at
      complete
      records {
        recordNumber
        isNewest
        addedAt
        addedAtExact
        validUntil
        refetchAfter
        state
        keyCount
        keys {
          keyId
          key
          kind
          expiredAt
          valid
        }
      }
    }
  }
`);

export const diffQuery = graphql(`
  query RecordDiff($server: String!, $from: Int!, $to: Int!) {
    recordDiff(server: $server, from: $from, to: $to) {
      kind
      subject
      from
      to
    }
  }
`);

export type HistoryData = KeyHistoryQuery['keyHistory'];
export type BandData = HistoryData['bands']['nodes'][number];
export type KeyData = HistoryData['keys'][number];
export type MarkData = HistoryData['marks'][number];
export type AnswerData = KeyAnswerAtQuery['keyAnswerAt'];
export type ChangeData = NonNullable<RecordDiffQuery['recordDiff']>[number];
