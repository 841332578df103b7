import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';

import { ApiError } from '../../../base/errors/api-error.js';
import { counted } from '../../../base/text/strings.js';
import type { S3Bucket } from '../../../net/object-storage/s3-bucket.js';
import type { Database } from '../../../store/db.js';
import { explainStoreError } from '../../../store/store-errors.js';
import { failed, ok, warning, type Finding, type Check } from '../health.js';

const SLOW_MS = 250;

/** Whether the database answers, and for SQLite whether its disk has room. `folder`: of the SQLite file. */
export function databaseCheck(database: Pick<Database, 'engine' | 'ping'>, folder: string | null): Check {
  return {
    id: 'database',
    title: 'Database',
    how: folder === null ? 'queried the database' : 'queried the database and the file system',
    check: async () => {
      try {
        // The first may have to connect.
        await database.ping();
      } catch (error) {
        const { error: sentence, causes } = explainStoreError(error);
        return failed(sentence, causes.join(' Or: '));
      }
      const startedMs = performance.now();
      await database.ping();
      const ms = Math.round(performance.now() - startedMs);
      const name = database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
      if (ms >= SLOW_MS)
        return warning(
          `${name} took ${ms} ms for a trivial query.`,
          'Look for a busy disk, a long transaction of another program, or too few connections.',
        );
      if (folder === null) return ok(`${name} answers in ${ms} ms.`);
      const space = await judgeFolder(folder, {
        minFreeBytes: 0,
        advice: 'Free some space on the disk of the database.',
      });
      return { ...space, message: `${name} answers in ${ms} ms. ${space.message}` };
    },
  };
}

export interface DiskSpaceSources {
  /** Setting media_store_path. */
  folder: string;
  /** Setting media.min_free_space. */
  minFreeBytes: number;
  /** Media whose file is gone. */
  missingFiles: () => Promise<number>;
}

/** Whether media on disk is complete and has room. */
export function diskSpaceCheck({ folder, minFreeBytes, ...sources }: DiskSpaceSources): Check {
  return {
    id: 'media_storage',
    title: 'Disk space for media',
    href: '/previews?tab=media',
    how: 'queried the file system',
    check: async () => {
      const advice = 'Free some space, shorten previews.media_retention, or delete media.';
      const space = await judgeFolder(folder, { minFreeBytes, advice });
      const missing = space.state === 'ok' ? await sources.missingFiles() : 0;
      if (missing === 0) return space;
      const lost = warning(
        `${counted(missing, 'stored file')} missing from disk although nobody deleted them.`,
        'Restore them from a backup, or delete the entries.',
      );
      return { ...lost, href: '/previews?tab=media&file=MISSING' };
    },
  };
}

/** Beside the folders of media, so that the garbage collection passes over it. */
const NAME = 'health/probe';
const BODY = Buffer.from('vidimus probe');

export interface ObjectStorageSources {
  bucket: Pick<S3Bucket, 'put' | 'get' | 'list' | 'delete'>;
  prefix: string;
  /** Its name for people. */
  place: string;
}

/** Whether object storage stores, reads, lists and deletes. */
export function objectStorageCheck({ bucket, prefix, place }: ObjectStorageSources): Check {
  const key = prefix + NAME;
  const check: Check['check'] = async () => {
    try {
      await bucket.put(key, BODY);
      const file = await bucket.get(key, undefined);
      const isSame = file !== null && (await text(file.body)) === BODY.toString();
      const { keys } = await bucket.list({ prefix: key, after: '', limit: 1 });
      await bucket.delete(key);
      if (isSame && keys.includes(key)) return ok(`${place} stores, reads, lists and deletes.`);
      return failed(`${place} does not return what was stored.`, 'Check what else writes there.');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const message = `${place}: ${error.detail ?? error.message}. New previews and media are refused with 503.`;
      return failed(message, 'Check that the store runs, and the settings of media.s3.');
    }
  };
  const described = { title: 'Media storage', how: 'stored, read and deleted an object' };
  return { id: 'media_storage', ...described, isProbe: true, href: '/settings?q=media.s3', check };
}

const GIB = 1024 ** 3;
/** Less free space than this is a warning; a tenth of it is a failure. */
const LOW_SPACE_BYTES = 2 * GIB;

/** Whether a folder can be written to and its disk has room. The folder itself may still have to be made. */
async function judgeFolder(
  path: string,
  { minFreeBytes, advice }: { minFreeBytes: number; advice: string },
): Promise<Finding> {
  const folder = await nearestFolder(path);
  // Also not where the file system has become read-only.
  const needed = constants.R_OK | constants.W_OK | constants.X_OK;
  const canWrite = await access(folder, needed).then(
    () => true,
    () => false,
  );
  if (!canWrite) return failed('The folder is not writable.', 'Give the user of this server write access.');
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const free = `${(freeBytes / GIB).toFixed(1)} GiB are free.`;
  const leastBytes = Math.max(minFreeBytes, LOW_SPACE_BYTES / 10);
  if (freeBytes >= Math.max(LOW_SPACE_BYTES, leastBytes)) return ok(free);
  return freeBytes >= leastBytes ? warning(free, advice) : failed(free, advice);
}

async function nearestFolder(path: string): Promise<string> {
  const isMissing = await access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  const parent = dirname(path);
  return isMissing && parent !== path ? nearestFolder(parent) : path;
}
