import { graphql } from '../../gql/gql.js';
import type { SiteQuery } from '../../gql/graphql.js';

export const siteQuery = graphql(`
  query Site($host: String!) {
    previews(first: 5, filter: { host: $host }) {
      nodes {
        id
        url
        title
        createdAt
      }
      totalCount {
        ...Total
      }
    }
    hostSpace(host: $host) {
      items
      bytes
      thumbnailBytes
      exact
      hosts {
        name
        items
        bytes
        thumbnailBytes
      }
      owners {
        name
        items
        bytes
      }
    }
    memoryPreviews(first: 5, filter: { host: $host, state: FAILED }) {
      nodes {
        id
        url
        startedAt
        status
        message
        stored {
          id
        }
      }
      totalCount {
        ...Total
      }
    }
    blockHits(first: 5, filter: { host: $host }) {
      nodes {
        id
        at
        url
        ruleText
      }
      totalCount {
        ...Total
      }
    }
  }
`);

export type SiteData = SiteQuery;
