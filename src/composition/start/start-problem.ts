import { ApiError } from '../../core/base/errors/api-error.js';
import type { Logger } from '../../core/base/logger.js';

/** Something beyond the text of the configuration that stops the start, or that an operator should hear about. */
export interface StartProblem {
  /** The setting it is about. */
  setting: string;
  /** A sentence that says what to do. */
  message: string;
  /** Whether it stops the start. */
  isFault: boolean;
}

/** Logs what is no fault, and throws all faults at once as one `ApiError` 500. */
export function refuseFaults(problems: readonly StartProblem[], logger: Logger): void {
  for (const { setting, message, isFault } of problems) if (!isFault) logger.warn({ setting }, message);
  const faults = problems.filter(({ isFault }) => isFault).map(({ message }) => message);
  if (faults.length > 0) throw new ApiError(500, 'M_UNKNOWN', faults.join('\n'), { reason: 'start_refused' });
}
