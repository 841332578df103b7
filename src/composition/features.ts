import type { SourcedConfig } from '../config/setting-view.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { Limit } from '../core/operators/health/checks/work.js';
import type { Check } from '../core/operators/health/health.js';
import type { ScheduledJob } from '../jobs/jobs.js';

/** What a part of the service brings beside its services. */
export interface Feature {
  /** Started and stopped with the part, and shown to operators. */
  jobs: readonly ScheduledJob[];
  healthChecks: readonly Check[];
  limits: readonly Limit[];
  apply(settings: SourcedConfig): void;
  /** Begins all else that goes on by itself, after the jobs have been started. */
  start(): void;
  /** Stores what is under way and lets go of everything. No job runs any more. */
  close(): Promise<void>;
}

/** Services with what they bring, none named like it. */
export function feature<Services extends object>(
  services: Services & { [Name in keyof Feature]?: never },
  brought: Partial<Feature> = {},
): Services & Feature {
  const nothing = { jobs: [], healthChecks: [], limits: [] };
  const idle = { apply: () => undefined, start: () => undefined, close: async () => undefined };
  return { ...services, ...nothing, ...idle, ...brought };
}

export class Features {
  readonly #features: Feature[] = [];

  add<F extends Feature>(added: F): F {
    this.#features.push(added);
    return added;
  }

  readonly jobs = (): JobDefinition[] =>
    this.#features.flatMap(({ jobs }) => jobs.map(({ definition }) => definition));

  readonly healthChecks = (): Check[] => this.#features.flatMap(({ healthChecks }) => healthChecks);

  readonly limits = (): Limit[] => this.#features.flatMap(({ limits }) => limits);

  apply(settings: SourcedConfig): void {
    for (const each of this.#features) each.apply(settings);
  }

  start(): void {
    for (const each of this.#features) {
      for (const { job } of each.jobs) job?.start();
      each.start();
    }
  }

  async close(): Promise<void> {
    for (const each of this.#features.toReversed()) {
      await Promise.all(each.jobs.map(async ({ job }) => job?.stop()));
      await each.close();
    }
  }
}
