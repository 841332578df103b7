import { graphql } from '../../gql/gql.js';
import type { OverviewPageQuery, OverviewSeriesQuery } from '../../gql/graphql.js';

export const overviewQuery = graphql(`
  query OverviewPage($fresh: Boolean!) {
    overview {
      version
      commit
      startedAt
      health(fresh: $fresh) {
        key
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
        expired
        failing
      }
      previews {
        stored
        failedInMemory
      }
      media {
        items
        diskBytes
      }
      memoryCache {
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

export type OverviewData = OverviewPageQuery['overview'];
export type SeriesData = OverviewSeriesQuery['overview']['series'][number];
