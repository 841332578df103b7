/** One setting as operators see it. */
export interface SettingView {
  /** Dotted name. */
  path: string;
  /** In the form operators write; `null` for secrets and what is unset. */
  value: unknown;
  isSecret: boolean;
  isSet: boolean;
  source: 'default' | 'file' | 'environment';
  /** `config.yaml:12` or the name of a variable; `null` for a default. */
  origin: string | null;
  defaultValue: unknown;
  description: string;
  /** False when a reload applies it. */
  restartNeeded: boolean;
  /** Names of Synapse that lead here. */
  aliases: readonly string[];
}

export interface RunningSetting extends SettingView {
  /** What is in effect; in the report of a reload, what was before it. `null` for secrets. */
  runningValue: unknown;
  /** A reload has changed it since the start. */
  changedSinceStart: boolean;
  /** The configuration says otherwise since the last reload; a restart brings `waitingValue`. */
  isWaiting: boolean;
  /** `null` for secrets, and when nothing waits. */
  waitingValue: unknown;
}

/** What changed of a setting, for audit; both are `null` for secrets. */
export interface SettingChange {
  path: string;
  from: unknown;
  to: unknown;
  /** Whether it waits for a restart. */
  waits: boolean;
}

/** What a report of a reload says, for audit. */
export function settingChanges({ changed }: Pick<ReloadReport, 'changed'>): SettingChange[] {
  return changed.map(({ path, runningValue, value, restartNeeded }) => ({
    path,
    from: runningValue,
    to: value,
    waits: restartNeeded,
  }));
}

/** What a reload found. */
export interface ReloadReport {
  /** One line each, with file, line, column and the wanted form; any of them keeps everything as it was. */
  errors: readonly string[];
  /** Settings whose values differ from the running ones, as they would be. */
  changed: readonly RunningSetting[];
  /** Whether one of them waits for a restart. */
  restartNeeded: boolean;
}
