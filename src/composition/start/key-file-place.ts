import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether a missing file could be made with the folders that lead to it; else the sentence that says why not. */
export async function whyFileCannotBeMade(title: string, path: string): Promise<string | null> {
  let folder = dirname(path);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const canWrite = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (canWrite) return null;
  return `${title} ${path} does not exist and cannot be made: this user may not write to ${folder}`;
}
