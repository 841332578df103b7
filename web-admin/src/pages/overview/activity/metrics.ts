import type { Metric } from '../../../gql/graphql.js';

/** The lines of the overview, in order. */
export const METRICS: readonly { metric: Metric; label: string }[] = [
  { metric: 'KEY_QUERIES', label: 'Key queries' },
  { metric: 'KEY_FETCHES', label: 'Key fetches' },
  { metric: 'KEY_FETCH_FAILURES', label: 'Failed key fetches' },
  { metric: 'PREVIEW_REQUESTS', label: 'Preview requests' },
  { metric: 'PREVIEW_GENERATED', label: 'Previews made' },
  { metric: 'PREVIEW_FAILURES', label: 'Failed previews' },
  { metric: 'PREVIEW_DENIED', label: 'Denied: token' },
  { metric: 'PREVIEW_UNAVAILABLE', label: 'Refused: 503' },
  { metric: 'BLOCK_HITS', label: 'Blocked requests' },
];

export const RANGES = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

export const RANGE_LABELS: Readonly<Record<(typeof RANGES)[number], { short: string; long: string }>> = {
  HOUR: { short: '1 h', long: 'last hour' },
  DAY: { short: '1 d', long: 'last day' },
  WEEK: { short: '1 w', long: 'last week' },
  MONTH: { short: '30 d', long: 'last 30 days' },
};
