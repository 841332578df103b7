import { graphql } from '../../gql/gql.js';
import type { PreviewRefusalsQuery, PreviewsPageQuery } from '../../gql/graphql.js';

export const previewsQuery = graphql(`
  query PreviewsPage(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $filter: PreviewFilter
    $sortBy: PreviewSortField
    $direction: SortDirection
  ) {
    previews(
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

export const previewRefusalsQuery = graphql(`
  query PreviewRefusals {
    previewRefusals {
      status
      errcode
      message
      times
      firstAt
      lastAt
      requestId
    }
    overview {
      series(metrics: [PREVIEW_DENIED, PREVIEW_UNAVAILABLE], range: DAY) {
        metric
        total
        startsAt
        stepMs
        values
      }
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

export const refreshPreviewsMutation = graphql(`
  mutation RefreshPreviews($ids: [ID!]!) {
    refreshPreviews(ids: $ids) {
      userErrors {
        code
        message
      }
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
export type RefusalRow = PreviewRefusalsQuery['previewRefusals'][number];
export type RefusalData = PreviewRefusalsQuery;
