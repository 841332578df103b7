import { graphql } from '../../gql/gql.js';
import type { TryPreviewMutation } from '../../gql/graphql.js';

export const tryPreviewMutation = graphql(`
  mutation TryPreview($input: TryPreviewInput!) {
    tryPreview(input: $input) {
      userErrors {
        code
        message
      }
      trace {
        url
        finalUrl
        source
        status
        body
        properties {
          key
          value
          origin
        }
        droppedProperties {
          key
          value
          origin
        }
        steps {
          ...TraceStep
        }
        refusals {
          url
          stage
          address
          rule {
            id
            source
          }
          allowing {
            ...RuleSuggestionFields
          }
        }
        durationMs
        downloadedBytes
        image {
          id
          mediaId
          viewPath
        }
        stored {
          id
          url
          expiresAt
        }
      }
    }
  }
`);

export type TraceData = NonNullable<TryPreviewMutation['tryPreview']['trace']>;
