import { graphql } from '../../gql/gql.js';
import type { MediaItemQuery } from '../../gql/graphql.js';

export const mediaItemQuery = graphql(`
  query MediaItem($mediaId: String!) {
    mediaItem(mediaId: $mediaId) {
      id
      mediaId
      contentUri
      owner
      contentType
      bytes
      width
      height
      createdAt
      deletesAt
      sourceUrl
      fileName
      fileState
      viewPath
      thumbnails {
        width
        height
        method
        contentType
        bytes
        viewPath
      }
      previews(first: 25) {
        nodes {
          id
          url
          title
          expiresAt
        }
        totalCount
      }
    }
  }
`);

export type MediaItemData = NonNullable<MediaItemQuery['mediaItem']>;
