import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Config } from '../../config/schema.js';
import { MINUTE_MS, systemClock } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { createLogger, type Logger } from '../../core/base/logger.js';
import { S3Failure } from '../../core/net/object-storage/s3-failure.js';
import type { StartProblem } from '../start/start-problem.js';
import { createObjectStorage, type ObjectStorage } from './object-storage.js';

/**
 * What the place of media says against being used: a folder by its mode or that of the one it is to be made in, object
 * storage by listing and by reading what is not there. A folder stops no start, since keys need none, and a store that
 * is away is waited for: no errors.
 */
export async function checkMediaStorage(config: Config): Promise<StartProblem[]> {
  if (config.media.storage === 'disk') return checkFolder(config.media_store_path);
  const logger = createLogger({ level: 'silent' });
  const objects = createObjectStorage(config, { clock: systemClock, logger });
  try {
    const found = await look(objects);
    if (found === null) return [];
    const { message, isRefused } = found;
    return [{ setting: 'media.s3', message: `${objects.place}: ${message}`, isError: isRefused }];
  } finally {
    await objects.close();
  }
}

async function checkFolder(path: string): Promise<StartProblem[]> {
  let folder = path;
  let found = await findEntry(folder);
  while (found === null && dirname(folder) !== folder) {
    folder = dirname(folder);
    found = await findEntry(folder);
  }
  const objection = found?.isDirectory() === true ? await writeObjection(folder) : 'is not a folder';
  if (objection === null) return [];
  return [{ setting: 'media_store_path', message: `${folder} ${objection}`, isError: false }];
}

async function findEntry(path: string) {
  return stat(path).catch(() => null);
}

async function writeObjection(folder: string): Promise<string | null> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    () => 'cannot be written by this user',
  );
}

/** Says the same of object storage to the log. A store that refuses does not stop the start: keys and previews that are remembered need none. */
export async function checkAtStart(objects: ObjectStorage | null, logger: Logger): Promise<void> {
  if (objects === null) return;
  const { place } = objects;
  const found = await look(objects);
  if (found === null) logger.info({ place }, 'media is kept in object storage');
  else logger.error({ place, detail: found.message }, 'the check of the media store failed');
}

interface Objection {
  message: string;
  /** Something has to be changed; else it may pass. */
  isRefused: boolean;
}

async function look(objects: ObjectStorage): Promise<Objection | null> {
  const failure = await failureOf(objects);
  if (failure !== null) {
    const isRefused = failure instanceof S3Failure && failure.refusal !== null;
    return { message: failure.detail ?? failure.message, isRefused };
  }
  const minutes = Math.round(Math.abs(await objects.clockOffsetMs()) / MINUTE_MS);
  // Signatures fail at fifteen.
  return minutes === 0 ? null : { message: `its clock differs by ${minutes} minutes`, isRefused: false };
}

async function failureOf({ storage }: ObjectStorage): Promise<ApiError | null> {
  try {
    await storage.hasFolder('health');
    const file = await storage.get('health/none');
    file?.body.destroy();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
