import { graphql } from '../../gql/gql.js';
import type { MemoryPreviewsQuery, PreviewRefusalsQuery, PreviewsPageQuery } from '../../gql/graphql.js';

export const previewsQuery = graphql(`
  query PreviewsPage(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $filter: PreviewFilter
    $sort: PreviewSort
  ) {
    previews(first: $first, after: $after, last: $last, before: $before, filter: $filter, sort: $sort) {
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
        inMemory {
          id
          state
          expiresAt
        }
      }
      pageInfo {
        ...PageEnds
      }
      totalCount {
        ...Total
      }
    }
  }
`);

export const memoryPreviewsQuery = graphql(`
  query MemoryPreviews($first: Int, $after: String, $filter: MemoryFilter) {
    memoryPreviews(first: $first, after: $after, filter: $filter) {
      nodes {
        id
        url
        state
        startedAt
        expiresAt
        hits
        status
        errcode
        message
        stored {
          id
        }
      }
      pageInfo {
        ...PageEnds
      }
      totalCount {
        ...Total
      }
    }
  }
`);

export const memoryToForgetQuery = graphql(`
  query MemoryToForget($filter: MemoryFilter!) {
    memoryPreviews(first: 5, filter: $filter) {
      nodes {
        id
        url
      }
      totalCount {
        count
        exact
      }
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
        points {
          at
          value
        }
      }
    }
  }
`);

export const previewsToDeleteQuery = graphql(`
  query PreviewsToDelete($ids: [ID!]!, $byFilter: Boolean!, $filter: PreviewFilter) {
    nodes(ids: $ids) @skip(if: $byFilter) {
      id
      ... on Preview {
        url
      }
    }
    previews(first: 5, filter: $filter) @include(if: $byFilter) {
      nodes {
        id
        url
      }
    }
  }
`);

export const deletePreviewsMutation = graphql(`
  mutation DeletePreviews($input: DeletePreviewsInput!) {
    deletePreviews(input: $input) {
      userErrors {
        code
        message
      }
      matched
      deletedIds
      freedBytes
      run {
        id
      }
    }
  }
`);

export const refreshPreviewsMutation = graphql(`
  mutation RefreshPreviews($input: RefreshPreviewsInput!) {
    refreshPreviews(input: $input) {
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
  mutation ForgetMemoryPreviews($input: ForgetMemoryPreviewsInput!) {
    forgetMemoryPreviews(input: $input) {
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
export type MemoryRow = MemoryPreviewsQuery['memoryPreviews']['nodes'][number];
