import { graphql } from '../../gql/gql.js';
import type { PreviewFieldsFragment, PreviewMediaFragment } from '../../gql/graphql.js';

export const previewFragment = graphql(`
  fragment PreviewFields on Preview {
    id
    url
    host
    responseCode
    etag
    createdAt
    expiresAt
    state
    title
    properties {
      key
      value
      origin
    }
    raw
    media {
      ...PreviewMedia
    }
    image {
      ...PreviewMedia
    }
  }
`);

export const previewMediaFragment = graphql(`
  fragment PreviewMedia on Media {
    id
    mediaId
    contentType
    bytes
    width
    height
    deletesAt
    fileState
    viewPath
    thumbnails {
      width
      height
      method
      bytes
    }
  }
`);

export const previewQuery = graphql(`
  query PreviewPage($url: String!) {
    preview(url: $url) {
      ...PreviewFields
    }
  }
`);

export const previewByIdQuery = graphql(`
  query PreviewById($id: ID!) {
    preview(id: $id) {
      ...PreviewFields
    }
  }
`);

export const goneQuery = graphql(`
  query PreviewGone($url: String!) {
    checkUrl(url: $url, resolve: false) {
      blocked
      message
    }
  }
`);

export type PreviewData = PreviewFieldsFragment;
export type PreviewMediaData = PreviewMediaFragment;
