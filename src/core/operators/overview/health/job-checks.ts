import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import { reasonSentence } from '../../../job-runner/job-run.js';
import type { JobRuns } from '../../../job-runner/job-runs.js';
import type { LatestRuns } from '../../../job-runner/latest-runs.js';
import type { InstanceStore } from '../instance-store.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

/** A job whose runs prove something, as this process sees it. */
export interface WatchedJob {
  runs: Pick<JobRuns, 'job' | 'last' | 'lastOkTs'>;
  intervalMs: number;
}

/** What the checks of background work look at. */
export interface JobCheckSources {
  store: HealthStore;
  clock: Clock;
  instances: InstanceStore;
  /** Whether cleanup runs in this process. */
  runsMediaJobs: boolean;
  cleanup: WatchedJob;
  /** Of all jobs of this process. */
  latest: LatestRuns;
  /** Setting media_instance_running_background_jobs. */
  designatedInstance: string | null;
}

const ALIVE_MS = 3 * MINUTE_MS;
/** A run proves for so many intervals that its job works, for a minute at least. */
const PROVING_INTERVALS = 6;

/** Cleanup, the other jobs, and pauses. */
export function jobChecks(sources: JobCheckSources): NamedCheck[] {
  return [
    {
      key: 'cleanup',
      title: 'Cleanup',
      how: 'the last run of the job',
      isOfProcess: true,
      look: () => checkCleanup(sources),
    },
    {
      key: 'jobs',
      title: 'Other jobs',
      how: 'the last run of each',
      isOfProcess: true,
      look: () => checkRuns(sources),
    },
    {
      key: 'pauses',
      title: 'Paused jobs',
      how: 'asked the database',
      look: () => checkPauses(sources.store),
    },
  ];
}

/** When a run last ended well, here or on another instance, POSIX ms; `null`: none that is known. */
export async function lastProofTs({ runs }: WatchedJob, store: HealthStore): Promise<number | null> {
  const found = [runs.lastOkTs, await store.latestOkRunTs(runs.job)].filter((ts) => ts !== null);
  return found.length === 0 ? null : Math.max(...found);
}

/** Whether a run that ended well then still says that the job works. */
export function provesNow(provedTs: number, { intervalMs }: WatchedJob, clock: Clock): boolean {
  return Math.abs(clock.now() - provedTs) <= Math.max(PROVING_INTERVALS * intervalMs, MINUTE_MS);
}

/** An instant in a sentence. */
export function timeOf(ts: number): string {
  return `${new Date(ts).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

async function checkCleanup(sources: JobCheckSources): Promise<Finding> {
  if (!sources.runsMediaJobs) return checkDesignated(sources);
  const { cleanup, store, clock } = sources;
  const { last } = cleanup.runs;
  if (last?.outcome === 'failed') {
    const message = `The last cleanup failed: ${last.reason ?? 'unknown reason'}.`;
    const advice = 'Expired previews and media stay until it works; the log has the details.';
    return { ...failed(message, advice, '/jobs'), provedTs: last.startedTs };
  }
  const provedTs = await lastProofTs(cleanup, store);
  if (provedTs !== null && provesNow(provedTs, cleanup, clock))
    return { ...fine('Expired previews and media are removed every 10 s.', '/jobs'), provedTs };
  return { ...withoutProof(last), provedTs };
}

/** A run that did nothing says why; one that ended well long ago should have been followed by others. */
function withoutProof(last: WatchedJob['runs']['last']): Finding {
  if (last === null) return unproved('Cleanup has not run yet since the start.', '/jobs');
  if (last.outcome !== 'ok') {
    const reason = reasonSentence(last.reason) ?? 'No reason is known.';
    return unproved(`The last cleanup did not do its work: ${reason}`, '/jobs');
  }
  return warning(
    `The last cleanup began ${timeOf(last.startedTs)}.`,
    'It is paused, or a run does not come to its end: expired previews and media stay meanwhile.',
    '/jobs',
  );
}

async function checkDesignated({ instances, clock, designatedInstance }: JobCheckSources): Promise<Finding> {
  const nowTs = clock.now();
  const known = await instances.list();
  const running = known.find((info) => info.runsMediaJobs && nowTs - info.lastSeenTs < ALIVE_MS);
  if (running !== undefined) {
    const { name, lastSeenTs: provedTs } = running;
    return { ...fine(`Cleanup is left to ${name}, which is alive.`, '/jobs'), provedTs };
  }
  return failed(
    `Nobody cleans up: ${designatedInstance ?? 'the designated instance'} has not been seen lately.`,
    'Start that instance, or name another one in media_instance_running_background_jobs.',
    '/settings?q=media_instance_running_background_jobs',
  );
}

async function checkRuns({ latest, cleanup }: JobCheckSources): Promise<Finding> {
  const jobs = latest.ended().filter((job) => job !== cleanup.runs.job);
  if (jobs.length === 0) return unproved('No other job has run yet since the start.', '/jobs');
  const [first, ...others] = jobs.filter((job) => latest.failure(job) !== null);
  const provedTs = Math.max(...jobs.map((job) => latest.endedTs(job)));
  if (first === undefined) return { ...fine('No other job failed when it ran last.', '/jobs'), provedTs };
  const more = others.length === 0 ? '' : ` ${others.length} more failed, too.`;
  const message = `The last run of ${first} failed: ${latest.failure(first)?.reason ?? 'unknown reason'}.${more}`;
  const advice = 'Until a run goes well its work is not done; the log has the details.';
  return { ...warning(message, advice, '/jobs'), provedTs };
}

async function checkPauses(store: HealthStore): Promise<Finding> {
  const paused = await store.pausedJobs();
  const first = paused[0];
  if (first === undefined) return fine('No job is paused.', '/jobs');
  const names = paused.length === 1 ? `${first.job} is` : `${first.job} and ${paused.length - 1} more are`;
  return warning(
    `${names} paused by ${first.pausedBy}${first.reason === '' ? '' : `: ${first.reason}`}.`,
    'Resume it when the reason is gone; meanwhile the store grows.',
    '/jobs',
  );
}
