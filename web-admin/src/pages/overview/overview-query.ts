import { graphql } from '../../gql/gql.js';
import type { OverviewPageQuery, OverviewSeriesQuery } from '../../gql/graphql.js';

export const overviewQuery = graphql(`
  query OverviewPage($fresh: Boolean!) {
    overview {
      version
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
      totals {
        servers
        expiredServers
        failingServers
        previews
        failedPreviews
        media
        mediaBytes
        keyLookups
        keyCacheHits
        previewRequests
        previewCacheHits
      }
      recentFailures {
        at
        title
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
        startsAt
        stepMs
        values
      }
    }
  }
`);

export type OverviewData = OverviewPageQuery['overview'];
export type SeriesData = OverviewSeriesQuery['overview']['series'][number];

/** When each value of a series was, POSIX ms. */
export function timesOf({
  startsAt,
  stepMs,
  values,
}: Pick<SeriesData, 'startsAt' | 'stepMs' | 'values'>): number[] {
  return values.map((_, index) => Date.parse(startsAt) + index * stepMs);
}
