import type { Clock } from '../core/base/clock.js';
import type { Logger } from '../core/base/logger.js';
import type { ReloadReport, RunningSetting, SettingChange } from '../core/base/running-setting.js';
import { formatConfigError } from './config-errors.js';
import { setMember, type LoadedConfig } from './load-config.js';
import { deepFreeze } from './parse-config.js';
import type { Config } from './schema.js';
import { listSettings } from './setting-tree.js';
import { changedSettings, valueOf, viewSettings, type SourcedConfig } from './setting-view.js';

export interface RunningSettingsOptions {
  initial: SourcedConfig;
  /** Reads the configuration again, as at the start. */
  read: () => LoadedConfig;
  apply: (settings: SourcedConfig) => void;
  clock: Clock;
  logger: Logger;
}

/** The settings a service runs with: shown to operators, and read again without a restart where that can be done. */
export class RunningSettings {
  #running: SourcedConfig;
  #latest: SourcedConfig;
  #problem: string | null = null;
  #readTs: number;
  /** Called after each reload that was requested here and took place. */
  onReloaded: () => void = () => undefined;

  constructor(private readonly options: RunningSettingsOptions) {
    this.#running = options.initial;
    this.#latest = options.initial;
    this.#readTs = options.clock.now();
  }

  get readTs(): number {
    return this.#readTs;
  }

  get running(): SourcedConfig {
    return this.#running;
  }

  /** The first error of the configuration that was last read; `null` without one. */
  get problem(): string | null {
    return this.#problem;
  }

  list(search: string | null = null): RunningSetting[] {
    const wanted = search?.trim().toLowerCase() ?? '';
    const waiting = new Map(changesOf(this.#running, this.#latest).map((change) => [change.path, change]));
    return viewSettings(this.#running)
      .filter(({ path, description }) => `${path} ${description}`.toLowerCase().includes(wanted))
      .map((view) => ({
        ...view,
        isWaiting: waiting.has(view.path),
        waitingValue: waiting.get(view.path)?.to ?? null,
      }));
  }

  /**
   * Reads the configuration again and applies what can be applied; with `dryRun` only reports what would happen.
   * A faulty configuration changes nothing: the running values stay. Other instances are notified unless one of them
   * has asked for it.
   */
  reload({ dryRun, notifies = true }: { dryRun: boolean; notifies?: boolean }): ReloadReport {
    const { initial, logger, apply, clock } = this.options;
    const read = this.options.read();
    this.#readTs = clock.now();
    const errors = read.ok ? [] : read.errors.map(formatConfigError);
    this.#problem = errors[0] ?? null;
    if (!read.ok) {
      if (!dryRun) logger.error({ errors }, 'the configuration was not reloaded: it has errors');
      return { errors, changed: [] };
    }
    const changed = changesOf(this.#running, read);
    if (dryRun) return { errors, changed };
    this.#latest = read;
    this.#running = { ...read, config: withLiveValues(initial.config, read.config) };
    apply(this.#running);
    const namesOf = (isWaiting: boolean): string[] =>
      changed.filter(({ waits }) => waits === isWaiting).map(({ path }) => path);
    logger.info({ applied: namesOf(false), restart_needed: namesOf(true) }, 'configuration reloaded');
    if (notifies) this.onReloaded();
    return { errors, changed };
  }
}

function changesOf(running: SourcedConfig, read: SourcedConfig): SettingChange[] {
  const names = new Set(changedSettings(running.config, read.config));
  const before = new Map(viewSettings(running).map(({ path, value }) => [path, value]));
  return viewSettings(read).flatMap(({ path, value, restartNeeded }) =>
    names.has(path) ? [{ path, from: before.get(path), to: value, waits: restartNeeded }] : [],
  );
}

/** The configuration of the start with the live values of one that was read. */
function withLiveValues(initial: Config, read: Config): Config {
  const config = structuredClone(initial);
  const live = listSettings().filter(({ about }) => about.live);
  for (const { name } of live) setMember(config, name.split('.'), () => valueOf(read, name));
  return deepFreeze(config);
}
