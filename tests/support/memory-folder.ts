import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** Containers have 64 MB there by default. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * The folder below which many small files come and go: on Linux in memory, where there is room. A file system on disk
 * takes five times as long to make and remove a database, and none of these files is to outlast the run.
 */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    accessSync(IN_MEMORY, constants.W_OK);
    return bavail * bsize >= NEEDED_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
