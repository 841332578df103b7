/** One setting of the running service as operators see it. */
export interface RunningSetting {
  /** Dotted name. */
  path: string;
  /** In effect, in the form operators write; `null` for secrets and unset ones. */
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
  /** The configuration says otherwise since the last reload; a restart brings `waitingValue`. */
  isWaiting: boolean;
  waitingValue: unknown;
}

/** How a configuration differs from the running one in a setting; both values are `null` for secrets. */
export interface SettingChange {
  path: string;
  from: unknown;
  to: unknown;
  /** Whether it waits for a restart. */
  waits: boolean;
}

/** What a reload found. */
export interface ReloadReport {
  /** One line each, with file, line, column and the wanted form; any of them keeps everything as it was. */
  errors: readonly string[];
  changed: readonly SettingChange[];
}
