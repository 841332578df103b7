import { SECOND_MS } from '../core/base/clock.js';
import type { TotalMeasuring } from '../core/operators/overview/totals/total-measuring.js';
import type { ScheduledJob } from './media-job.js';
import { storeJob } from './store-job.js';
import type { StoreJobOptions } from './store-job.js';

/** What the job is made with. */
export interface MeasureTotalsOptions extends StoreJobOptions {
  measuring: TotalMeasuring;
}

/** How often it is asked whether it is time. */
const INTERVAL_MS = 10 * SECOND_MS;

/** Counts everything for the first page of operators, the more rarely the longer that takes. */
export function measureTotalsJob({ measuring, ...options }: MeasureTotalsOptions): ScheduledJob {
  return storeJob(
    {
      name: 'measure_totals',
      title: 'Measure totals',
      description:
        'Counts keys, previews and media and adds up their bytes for the overview. Changes nothing. ' +
        'Done often while that is cheap, at least every half hour.',
      everyMs: INTERVAL_MS,
      isDue: () => measuring.isDue(),
      workAt:
        () =>
        ({ signal }) =>
          measuring.measure(signal),
    },
    options,
  );
}
