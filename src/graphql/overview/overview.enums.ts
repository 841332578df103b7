import { METRIC_NAMES } from '../../core/operators/overview/series/metric-names.js';
import { wordsEnum } from '../common/enums.js';

export const HealthState = wordsEnum('HealthState', ['ok', 'warning', 'failed', 'unproved']);

export const Metric = wordsEnum('Metric', METRIC_NAMES);

export const TimeRange = wordsEnum('TimeRange', ['hour', 'day', 'week', 'month']);
export type TimeRange = (typeof TimeRange)[keyof typeof TimeRange];

export const FailureKind = wordsEnum('FailureKind', ['key_fetch', 'preview', 'job']);
