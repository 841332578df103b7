/** Something wrong in a configuration, before it is known where that stands. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** The name itself is wrong, not its value. */
  readonly isName?: boolean;
  /** What is wrong; completes "NAME: …". */
  readonly message: string;
  readonly wanted?: string | null;
  /** The setting that is meant. */
  readonly suggestion?: string | null;
}

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

type Location = Partial<Pick<ConfigError, 'file' | 'line' | 'column' | 'variable'>>;

/** Numbers in the dotted name are positions in lists. */
export function valueProblem(setting: string, message: string): Problem {
  const path = setting.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return { path, message };
}

export function configError({ path, message, ...hints }: Problem, at: Location): ConfigError {
  const { wanted = null, suggestion = null } = hints;
  const nowhere = { file: null, line: null, column: null, variable: null };
  return { ...nowhere, ...at, setting: dottedName(path), message, wanted, suggestion };
}

/** `['listeners', 0, 'port']` as `listeners[0].port`. */
function dottedName(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');
}

export function formatConfigError(error: ConfigError): string {
  const { file, line, column, variable, setting, message, wanted, suggestion } = error;
  const inFile = line === null ? file : `${file ?? ''}:${line}:${column ?? 1}`;
  const location = variable ?? inFile;
  return [
    location === null ? '' : `${location}  `,
    setting === '' ? '' : `${setting}: `,
    message,
    suggestion === null ? '' : `; did you mean ${suggestion}?`,
    wanted === null ? '' : `; expected: ${wanted}`,
  ].join('');
}
