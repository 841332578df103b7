import { ApiError } from '../base/errors/api-error.js';
import type { JobRun, StartedRun } from './job-run.js';
import type { JobRunner } from './job-runner.js';
import type { JobPause, JobStore } from './job-store.js';

/** A kind of work operators see on the page of jobs. */
export interface JobDefinition {
  name: string;
  title: string;
  /** What it does, what it leaves alone, and what pausing it means. */
  description: string;
  /** `null` for work that is only done on demand. */
  everyMs: number | null;
  /** The only instance that runs it; `null`: any does. */
  designatedInstance: string | null;
  /** When this instance runs it next; `null` when it does not. */
  nextRunTs: () => number | null;
  /** Starts a run for an operator; `null` for work on a selection of rows. */
  start: ((actor: string) => Promise<StartedRun>) | null;
}

/** Work on a selection of rows, started from the pages that show them. */
export function selectionJob(of: Pick<JobDefinition, 'name' | 'title' | 'description'>): JobDefinition {
  return { ...of, everyMs: null, designatedInstance: null, nextRunTs: () => null, start: null };
}

/** What runs jobs and keeps their runs. */
export interface JobServices {
  runner: JobRunner;
  jobStore: JobStore;
  registry: JobRegistry;
}

/** How a job stands, over all instances. */
export interface JobStatus {
  definition: JobDefinition;
  state: 'idle' | 'running' | 'paused' | 'skipping';
  /** Why it is paused or skipped, one sentence; `null` otherwise. */
  reason: string | null;
  /** Instance that runs it, or is the only one to; `null` when any does. */
  instance: string | null;
  /** POSIX ms; `null` while it is paused or not due here. */
  nextRunTs: number | null;
  lastRun: JobRun | null;
}

/** The jobs operators know: how each stands, and what they may do with it. */
export class JobRegistry {
  constructor(
    private readonly store: JobStore,
    /** As far as they have been built. */
    readonly definitions: () => readonly JobDefinition[],
    /** Name of this instance. */
    private readonly instance: string,
  ) {}

  /** How the named jobs stand, in the order of the definitions; without names all of them. */
  async list(names?: readonly string[]): Promise<JobStatus[]> {
    const { store } = this;
    await store.closeDead();
    const wanted = this.definitions().filter(({ name }) => names?.includes(name) ?? true);
    const [pauses, latest] = await Promise.all([
      store.listPauses(),
      store.latestRuns(wanted.map(({ name }) => name)),
    ]);
    return wanted.map((definition) => {
      const isNamed = ({ job }: { job: string }): boolean => job === definition.name;
      return this.#status(definition, pauses.find(isNamed) ?? null, latest.find(isNamed) ?? null);
    });
  }

  /** Starts a run for an operator. @throws ApiError 404 `unknown_job`, 400 `needs_selection`, 409 as `start` does. */
  async runNow(name: string, actor: string): Promise<StartedRun> {
    const { start } = this.#known(name);
    if (start === null) {
      const message = 'This job works on selected rows; start it from their list';
      throw new ApiError(400, message, { reason: 'needs_selection' });
    }
    await this.store.closeDead();
    return start(actor);
  }

  /** Pauses a job that runs by the clock, or lets it run again; all instances heed it from their next run on. */
  async setPaused(
    name: string,
    { paused, actor, reason }: { paused: boolean; actor: string; reason: string },
  ): Promise<void> {
    const { everyMs } = this.#known(name);
    if (everyMs === null) {
      const message = 'This job runs only on demand, so it cannot be paused';
      throw new ApiError(400, message, { reason: 'not_periodic' });
    }
    const { store } = this;
    await (paused ? store.pause(name, { actor, reason }) : store.resume(name));
  }

  #known(name: string): JobDefinition {
    const definition = this.definitions().find((each) => each.name === name);
    if (definition !== undefined) return definition;
    throw new ApiError(404, 'There is no job with this name', {
      errcode: 'M_NOT_FOUND',
      reason: 'unknown_job',
    });
  }

  #status(definition: JobDefinition, pause: JobPause | null, lastRun: JobRun | null): JobStatus {
    const current = lastRun?.outcome === 'running' ? lastRun : null;
    const { designatedInstance } = definition;
    const nextRunTs = definition.nextRunTs();
    const base = { definition, instance: current?.instance ?? designatedInstance, lastRun };
    if (current !== null) return { ...base, state: 'running', reason: null, nextRunTs };
    if (pause !== null) return { ...base, state: 'paused', reason: pauseReason(pause), nextRunTs: null };
    if (designatedInstance !== null && designatedInstance !== this.instance) {
      const reason = `The instance ${designatedInstance} runs it (media_instance_running_background_jobs).`;
      return { ...base, state: 'skipping', reason, nextRunTs: null };
    }
    return { ...base, state: 'idle', reason: null, nextRunTs };
  }
}

function pauseReason({ pausedBy, pausedTs, reason }: JobPause): string {
  const when = new Date(pausedTs).toISOString().replace('T', ' ').slice(0, 16);
  return `Paused by ${pausedBy} on ${when} UTC${reason === '' ? '.' : `: ${reason}`}`;
}
