import { graphql } from '../../gql/gql.js';
import type { OverviewPageQuery, OverviewSeriesQuery } from '../../gql/graphql.js';

export const overviewQuery = graphql(`
  query OverviewPage {
    overview {
      version
      commit
      startedAt
      instances {
        name
        runsMediaJobs
        startedAt
        lastSeenAt
        version
      }
      health {
        id
        title
        state
        message
        advice
        href
        provedAt
        how
      }
      keys {
        servers
        records
        due
        expired
        failing
      }
      previews {
        stored
        expired
        inMemory
        running
        failedInMemory
      }
      media {
        items
        bytes
        thumbnails
        thumbnailBytes
        diskBytes
        orphans
        missingFiles
        dueForDeletion
        measuredAt
      }
      memoryCache {
        hits
        misses
        hitRatio
      }
      storeCache {
        hits
        misses
        hitRatio
      }
      keyCache {
        hits
        misses
        hitRatio
      }
      recentFailures {
        at
        kind
        subject
        message
        href
      }
    }
  }
`);

export const seriesQuery = graphql(`
  query OverviewSeries($metrics: [Metric!]!, $range: TimeRange!) {
    overview {
      series(metrics: $metrics, range: $range) {
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

export const lastHitsQuery = graphql(`
  query OverviewHits {
    blockHits(first: 5) {
      nodes {
        id
        at
        url
        stage
        address
        rule {
          id
          kind
          parts {
            component
            pattern
          }
        }
      }
    }
  }
`);

export type OverviewData = OverviewPageQuery['overview'];
export type SeriesData = OverviewSeriesQuery['overview']['series'][number];
