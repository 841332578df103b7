import { graphql } from '../../gql/gql.js';
import type { PreviewTracePartsFragment } from '../../gql/graphql.js';

export const previewTraceFragment = graphql(`
  fragment PreviewTraceParts on PreviewTrace {
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
`);

export const tryPreviewMutation = graphql(`
  mutation TryPreview($ignoreCaches: Boolean! = false, $url: String!) {
    tryPreview(ignoreCaches: $ignoreCaches, url: $url) {
      userErrors {
        code
        message
      }
      trace {
        ...PreviewTraceParts
      }
    }
  }
`);

export type TraceData = PreviewTracePartsFragment;
