import { existsSync } from 'node:fs';
import { access, constants, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

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

/** Whether a missing file could be made with the folders that lead to it; else the sentence that says why not. */
export async function whyFileCannotBeMade(title: string, path: string): Promise<string | null> {
  let folder = dirname(path);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const isFolder = (await stat(folder)).isDirectory();
  const why = isFolder ? await whyNotWritable(folder) : `${folder} is not a folder`;
  return why === null ? null : `${title} ${path} does not exist and cannot be made: ${why}`;
}

/** Why SQLite cannot write to a file, make it, or make others beside it; `null`: it can. */
export async function whyDatabaseCannotBeWritten(path: string): Promise<string | null> {
  if (!existsSync(path)) return whyFileCannotBeMade('Database', path);
  const file = await realpath(path);
  return (await whyNotWritable(file, constants.W_OK)) ?? whyNotWritable(dirname(file));
}

async function whyNotWritable(path: string, mode = constants.W_OK | constants.X_OK): Promise<string | null> {
  return access(path, mode).then(
    () => null,
    () => `this user may not write to ${path}`,
  );
}
