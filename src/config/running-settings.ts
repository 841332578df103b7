import type { Clock } from '../core/base/clock.js';
import type { Logger } from '../core/base/logger.js';
import type { ReloadReport, RunningSetting } from '../core/base/running-setting.js';
import { valueOf } from './output/describe-config.js';
import { formatConfigError } from './config-errors.js';
import type { LoadedConfig } from './load-config.js';
import { changedSettings, isFound, viewSettings, type SourcedConfig } from './setting-view.js';
import { enclosingSetting } from './setting-tree.js';

export interface RunningSettingsOptions {
  initial: SourcedConfig;
  /** Reads the configuration again, as at the start. */
  read: () => LoadedConfig;
  /** Brings the values of live settings into effect. */
  apply: (settings: SourcedConfig) => void;
  clock: Clock;
  logger: Logger;
}

/** The settings a service runs with: shown to operators, and read again without a restart where that can be done. */
export class RunningSettings {
  #running: SourcedConfig;
  #latest: SourcedConfig;
  #isFaulty = false;
  #readTs: number;
  /** Called after each reload that was requested here and took place. */
  onReloaded: () => void = () => undefined;

  constructor(private readonly options: RunningSettingsOptions) {
    this.#running = options.initial;
    this.#latest = options.initial;
    this.#readTs = options.clock.now();
  }

  /** When the configuration was last read, POSIX ms. */
  get readTs(): number {
    return this.#readTs;
  }

  /** What is in effect, and where it comes from. */
  get running(): SourcedConfig {
    return this.#running;
  }

  /** All settings, or those that a text looks for. */
  list(search: string | null = null): RunningSetting[] {
    const changed = new Set(changedSettings(this.options.initial.config, this.#running.config));
    const waiting = new Set(changedSettings(this.#running.config, this.#latest.config));
    const latest = new Map(viewSettings(this.#latest).map((view) => [view.path, view]));
    return viewSettings(this.#running)
      .filter((view) => search === null || isFound(view, search))
      .map((view) => ({
        ...view,
        runningValue: view.value,
        changedSinceStart: changed.has(view.path),
        isWaiting: waiting.has(view.path),
        waitingValue: waiting.has(view.path) ? latest.get(view.path)?.value : null,
      }));
  }

  /** The first error of a configuration that a reload found faulty, until it is mended; `null` without one. */
  problem(): string | null {
    if (!this.#isFaulty) return null;
    const read = this.#read();
    const [first] = read.ok ? [] : read.errors;
    return first === undefined ? null : formatConfigError(first);
  }

  /**
   * Reads the configuration again and applies what can be applied; with `dryRun` only reports what would happen.
   * A faulty configuration changes nothing: the running values stay.
   */
  reload({ dryRun }: { dryRun: boolean }): ReloadReport {
    const report = this.#reload(dryRun);
    if (!dryRun && report.errors.length === 0) this.onReloaded();
    return report;
  }

  /** The same as another instance has done it. */
  reloadAsTold(): void {
    this.#reload(false);
  }

  #read(): LoadedConfig {
    const read = this.options.read();
    this.#isFaulty = !read.ok;
    this.#readTs = this.options.clock.now();
    return read;
  }

  #reload(dryRun: boolean): ReloadReport {
    const { initial, logger, apply } = this.options;
    const read = this.#read();
    if (!read.ok) {
      const errors = read.errors.map(formatConfigError);
      if (!dryRun) logger.error({ errors }, 'the configuration was not reloaded: it has errors');
      return { errors, changed: [], restartNeeded: false };
    }
    const changed = changesOf(this.#running, read);
    const report = { errors: [], changed, restartNeeded: changed.some((view) => view.restartNeeded) };
    if (dryRun) return report;
    this.#latest = read;
    this.#running = withLiveValues(initial, read);
    apply(this.#running);
    const namesOf = (isLive: boolean): string[] =>
      changed.filter(({ restartNeeded }) => restartNeeded !== isLive).map(({ path }) => path);
    logger.info({ applied: namesOf(true), restart_needed: namesOf(false) }, 'configuration reloaded');
    return report;
  }
}

/** What another configuration would change. */
function changesOf(running: SourcedConfig, read: SourcedConfig): RunningSetting[] {
  const names = new Set(changedSettings(running.config, read.config));
  const before = new Map(viewSettings(running).map(({ path, value }) => [path, value]));
  return viewSettings(read)
    .filter(({ path }) => names.has(path))
    .map((view) => ({
      ...view,
      runningValue: before.get(view.path) ?? null,
      changedSinceStart: !view.restartNeeded,
      isWaiting: view.restartNeeded,
      waitingValue: view.restartNeeded ? view.value : null,
    }));
}

/** The configuration that was read, but for values that wait for a restart: they stay as at the start. */
function withLiveValues(initial: SourcedConfig, read: SourcedConfig): SourcedConfig {
  const waiting = changedSettings(initial.config, read.config).filter(
    (name) => enclosingSetting(name.split('.'))?.live !== true,
  );
  const sources = new Map(read.sources);
  for (const name of waiting) {
    const source = initial.sources.get(name);
    if (source === undefined) sources.delete(name);
    else sources.set(name, source);
  }
  return {
    config: waiting.reduce(
      (config, name) => withValue(config, name.split('.'), valueOf(initial.config, name)),
      read.config,
    ),
    sources,
    originOf: (path) => {
      const isWaiting = waiting.some((name) => name.split('.').every((step, at) => path[at] === step));
      return (isWaiting ? initial : read).originOf(path);
    },
  };
}

function withValue<T extends object>(tree: T, [name = '', ...rest]: readonly string[], value: unknown): T {
  const member: unknown = Reflect.get(tree, name);
  const isGroup = rest.length > 0 && typeof member === 'object' && member !== null;
  return Object.freeze({ ...tree, [name]: isGroup ? withValue(member, rest, value) : value });
}
