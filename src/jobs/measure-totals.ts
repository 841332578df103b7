import { SECOND_MS } from '../core/base/clock.js';
import type { Clock } from '../core/base/clock.js';
import type { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import type { JobRunner, RunRequest } from '../core/job-runner/job-runner.js';
import type { Logger } from '../core/base/logger.js';
import type { TotalMeasuring } from '../core/operators/overview/totals/total-measuring.js';
import { nextRunTs } from './media-job.js';
import type { ScheduledJob } from './media-job.js';
import { PeriodicJob } from './periodic-job.js';

/** What the job is made with. */
export interface MeasureTotalsOptions {
  measuring: TotalMeasuring;
  runner: JobRunner;
  pauses: JobPauseStore;
  clock: Clock;
  logger: Logger;
}

const NAME = 'measure_totals';
/** How often it is asked whether it is time. */
const INTERVAL_MS = 10 * SECOND_MS;

/** Counts everything for the first page of operators, the more rarely the longer that takes. */
export function measureTotalsJob({
  measuring,
  runner,
  pauses,
  clock,
  logger,
}: MeasureTotalsOptions): ScheduledJob {
  const work: Pick<RunRequest, 'job' | 'work'> = {
    job: NAME,
    work: ({ signal }) => measuring.measure(signal),
  };
  const job = new PeriodicJob({
    name: NAME,
    intervalMs: INTERVAL_MS,
    isPaused: () => pauses.isPaused(NAME),
    run: async () => {
      if (await measuring.isDue()) await runner.runDue({ ...work, cause: 'job' });
    },
    logger,
  });
  return {
    job,
    definition: {
      name: NAME,
      title: 'Measure totals',
      description:
        'Counts keys, previews and media and adds up their bytes for the overview. Changes nothing. ' +
        'Done often while that is cheap, at least every half hour.',
      everyMs: INTERVAL_MS,
      designatedInstance: null,
      nextRunTs: () => nextRunTs(job, clock),
      start: (actor) => runner.start({ ...work, cause: 'operator', actor }),
    },
  };
}
