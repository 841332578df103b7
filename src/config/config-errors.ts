/** Something wrong in a configuration, before it is known where that stands. */
export interface Problem {
  /** Names and list positions that lead to the value. */
  readonly path: readonly (string | number)[];
  /** Whether the name itself is wrong or its value. */
  readonly at: 'name' | 'value';
  /** What is wrong; completes "NAME: …". */
  readonly message: string;
  /** The wanted form, or null. */
  readonly wanted: string | null;
  /** The nearest known name, or null. */
  readonly suggestion: string | null;
}

/** A problem with its location. `line` and `column` count from 1 and are null outside of files. */
export interface ConfigError {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Environment variable that carries the value, or null. */
  readonly variable: string | null;
  /** Dotted name such as `listeners[0].port`; empty for the file as a whole. */
  readonly setting: string;
  readonly message: string;
  readonly wanted: string | null;
  readonly suggestion: string | null;
}

/** A problem of one setting's value, with what is usual filled in. */
export function valueProblem(setting: string, message: string): Problem {
  return { path: setting.split('.'), at: 'value', message, wanted: null, suggestion: null };
}

/** `['listeners', 0, 'port']` as `listeners[0].port`. */
export function dottedName(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');
}

/** One printable line: location, setting, what is wrong, what is wanted, the nearest name. */
export function formatConfigError(error: ConfigError): string {
  const location = [
    error.variable ?? error.file,
    ...(error.variable === null && error.line !== null ? [error.line, error.column ?? 1] : []),
  ].filter((part) => part !== null);
  const subject = error.setting === '' ? '' : `${error.setting}: `;
  const wanted = error.wanted === null ? '' : `; wanted: ${error.wanted}`;
  const hint = error.suggestion === null ? '' : `; did you mean "${error.suggestion}"?`;
  return `${location.length === 0 ? '' : `${location.join(':')}  `}${subject}${error.message}${wanted}${hint}`;
}
