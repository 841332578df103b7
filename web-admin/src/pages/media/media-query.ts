import { graphql } from '../../gql/gql.js';
import type { MediaItemQuery, MediaPageQuery, MediaSpaceQuery } from '../../gql/graphql.js';

export const mediaQuery = graphql(`
  query MediaPage(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $filter: MediaFilter
    $sortBy: MediaSortField
    $direction: SortDirection
  ) {
    media(
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
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export const mediaSpaceQuery = graphql(`
  query MediaSpace {
    mediaSpace {
      diskBytes
      byHost {
        name
        items
        bytes
      }
      byType {
        name
        items
        bytes
      }
      byOwner {
        name
        items
        bytes
      }
    }
  }
`);

export const mediaToDeleteQuery = graphql(`
  query MediaToDelete($filter: MediaFilter) {
    media(first: 5, filter: $filter) {
      nodes {
        id
        mediaId
        sourceUrl
      }
    }
  }
`);

export const deleteMediaMutation = graphql(`
  mutation DeleteMedia($dryRun: Boolean! = false, $expectedCount: Int, $filter: MediaFilter!) {
    deleteMedia(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter) {
      userErrors {
        code
        message
      }
      matched
      deleted
      freedBytes
      run {
        id
      }
    }
  }
`);

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
      previews {
        id
        url
        title
        expiresAt
      }
    }
  }
`);

export type MediaItemData = NonNullable<MediaItemQuery['mediaItem']>;
export type MediaRow = MediaPageQuery['media']['nodes'][number];
export type SpaceData = MediaSpaceQuery['mediaSpace'];
