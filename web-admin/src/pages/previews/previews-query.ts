import { graphql } from '../../gql/gql.js';
import type { PreviewsPageQuery } from '../../gql/graphql.js';

export const previewsQuery = graphql(`
  query PreviewsPage(
    $first: Int
    $after: String
    $filter: PreviewFilter
    $sortBy: PreviewSortField
    $direction: SortDirection
  ) {
    previews(first: $first, after: $after, filter: $filter, sortBy: $sortBy, direction: $direction) {
      nodes {
        id
        url
        host
        title
        responseCode
        createdAt
        expiresAt
        state
        image {
          id
          viewPath
        }
      }
      pageInfo {
        ...PageEnds
      }
      totalCount
    }
  }
`);

export const previewsToDeleteQuery = graphql(`
  query PreviewsToDelete($filter: PreviewFilter) {
    previews(first: 5, filter: $filter) {
      nodes {
        id
        url
      }
    }
  }
`);

export const deletePreviewsMutation = graphql(`
  mutation DeletePreviews(
    $dryRun: Boolean! = false
    $expectedCount: Int
    $filter: PreviewFilter!
    $withMedia: Boolean! = true
  ) {
    deletePreviews(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter, withMedia: $withMedia) {
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

export const forgetPreviewsMutation = graphql(`
  mutation ForgetMemoryPreviews($failedOnly: Boolean!) {
    forgetMemoryPreviews(failedOnly: $failedOnly) {
      userErrors {
        code
        message
      }
      matched
    }
  }
`);

export type PreviewRow = PreviewsPageQuery['previews']['nodes'][number];
