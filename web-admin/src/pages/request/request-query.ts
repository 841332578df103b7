import { graphql } from '../../gql/gql.js';
import type { RequestQuery } from '../../gql/graphql.js';

export const requestQuery = graphql(`
  query Request($id: ID!) {
    request(id: $id) {
      requestId
      whole
      keptEvents
      silent
      unlogged {
        count
        since
        until
      }
      events {
        at
        kind
        subject
        outcome
        detail
        mediaId
        instance
      }
      audit {
        id
        at
        actor
        action
        summary
        outcome
      }
      refusals {
        id
        at
        url
        ruleText
        stage
      }
    }
  }
`);

export type RequestStory = RequestQuery['request'];
