import { SECOND_MS } from '../core/base/clock.js';
import { PROBE_INTERVAL_MS, type Probe } from '../core/operators/probes/probe.js';
import type { ProbeStore } from '../core/operators/probes/probe-store.js';
import type { ScheduledJob } from './scheduled-job.js';
import { runnerJob, type RunnerJobOptions } from './runner-job.js';

export interface ProbeJobOptions extends RunnerJobOptions {
  store: ProbeStore;
}

/** Soon after the start, when the listeners are open and a proxy in front has noticed. */
const FIRST_MS = 15 * SECOND_MS;

/** Tries a probe every five minutes or as often as it says, whichever instance comes first, and keeps what it found. */
export function probeJob(probe: Probe, { store, ...options }: ProbeJobOptions): ScheduledJob {
  const { clock } = options;
  const { subject, line, job, intervalMs = PROBE_INTERVAL_MS } = probe;
  return runnerJob(
    job,
    {
      intervalMs,
      firstMs: FIRST_MS,
      isDue: async () => {
        const found = await store.find(line.key, subject);
        return found === null || Math.abs(clock.now() - found.provedTs) >= intervalMs - PROBE_INTERVAL_MS / 2;
      },
      work: async ({ signal }) => {
        const found = await probe.prove(signal);
        // A run that was cancelled has found nothing.
        signal.throwIfAborted();
        await store.save(line.key, subject, { ...found, provedTs: clock.now() });
      },
    },
    options,
  );
}
