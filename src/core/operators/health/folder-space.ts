import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { failed, ok, warning, type Finding } from './health.js';

const GIB = 1024 ** 3;
/** Less free space than this is a warning; a tenth of it is a failure. */
const LOW_SPACE_BYTES = 2 * GIB;

/** Whether a folder can be written to and its disk has room. The folder itself may still have to be made. */
export async function judgeFolder(
  path: string,
  { minFreeBytes, advice }: { minFreeBytes: number; advice: string },
): Promise<Finding> {
  const folder = await nearestFolder(path);
  if (!(await canWrite(folder)))
    return failed('The folder is not writable.', 'Give the user of this server write access.');
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const free = `${(freeBytes / GIB).toFixed(1)} GiB are free.`;
  const leastBytes = Math.max(minFreeBytes, LOW_SPACE_BYTES / 10);
  if (freeBytes >= Math.max(LOW_SPACE_BYTES, leastBytes)) return ok(free);
  return freeBytes >= leastBytes ? warning(free, advice) : failed(free, advice);
}

/** Also false where the file system has become read-only. */
function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function nearestFolder(path: string): Promise<string> {
  const isThere = await access(path, constants.F_OK).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  const parent = dirname(path);
  return isThere || parent === path ? path : nearestFolder(parent);
}
