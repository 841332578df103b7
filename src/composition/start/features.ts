import type { SourcedConfig } from '../../config/setting-view.js';
import type { JobDefinition } from '../../core/job-runner/job-registry.js';
import type { Limit } from '../../core/operators/health/checks/limits.js';
import type { Check } from '../../core/operators/health/health-check.js';
import type { Feature } from '../parts.js';

/** What wings bring, in the order in which they were built. */
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

  /** Dotted names of the settings that the wings take while they run. */
  get liveSettings(): Set<string> {
    return new Set(this.#features.flatMap(({ liveSettings }) => Object.keys(liveSettings)));
  }

  apply(settings: SourcedConfig): void {
    for (const { liveSettings } of this.#features) {
      for (const apply of new Set(Object.values(liveSettings))) apply(settings);
    }
  }

  join(): void {
    for (const joined of this.#features) joined.join();
  }

  start(): void {
    for (const started of this.#features) {
      for (const { job } of started.jobs) job?.start();
      started.start();
    }
  }

  /** Undoes everything in reverse. */
  async close(): Promise<void> {
    for (const closed of this.#features.toReversed()) {
      await Promise.all(closed.jobs.map(async ({ job }) => job?.stop()));
      await closed.close();
    }
  }
}
