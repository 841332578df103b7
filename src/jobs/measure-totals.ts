import { SECOND_MS } from '../core/base/clock.js';
import type { TotalMeasuring } from '../core/operators/overview/totals/total-measuring.js';
import type { ScheduledJob } from './scheduled-job.js';
import { runnerJob, type RunnerJobOptions } from './runner-job.js';

export interface MeasureTotalsOptions extends RunnerJobOptions {
  measuring: TotalMeasuring;
}

/** How often it is asked whether it is time. */
const INTERVAL_MS = 10 * SECOND_MS;

/** Counts everything for the first page of operators, the more rarely the longer that takes. */
export function measureTotalsJob(options: MeasureTotalsOptions): ScheduledJob {
  const { measuring } = options;
  const about = {
    name: 'measure_totals',
    title: 'Measure totals',
    description:
      'Counts keys, previews and media and adds up their bytes for the overview. Changes nothing. ' +
      'Done often while that is cheap, at least every half hour.',
  };
  const isDue = () => measuring.isDue();
  return runnerJob(
    about,
    { intervalMs: INTERVAL_MS, isDue, work: ({ signal }) => measuring.measure(signal) },
    options,
  );
}
