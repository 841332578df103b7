import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';

/** Something beyond the text of the configuration that stops the start, or that an operator should hear about. */
export interface StartProblem {
  /** The setting it is about. */
  setting: string;
  /** A sentence that says what to do. */
  message: string;
  /** Whether it stops the start. */
  isError: boolean;
}

/** Logs what is no error, and throws all errors at once as one `ApiError` 500. */
export function refuseErrors(problems: readonly StartProblem[], logger: Logger): void {
  for (const { setting, message, isError } of problems) if (!isError) logger.warn({ setting }, message);
  const errors = problems.filter(({ isError }) => isError).map(({ message }) => message);
  if (errors.length > 0) throw new ApiError(500, errors.join('\n'), { reason: 'start_refused' });
}
