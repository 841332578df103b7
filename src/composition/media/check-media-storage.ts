import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { createLogger, type Logger } from '../../core/base/logger.js';
import { S3Failure } from '../../core/net/s3/s3-failure.js';
import type { StartProblem } from '../start/start-problem.js';
import { createObjectStorage, type ObjectStorage } from './media-storage.js';

/**
 * What object storage says against being used, by listing and by reading what is not there; nothing for media on disk.
 * A store that is away is waited for: no error.
 */
export async function checkMediaStorage(config: Config): Promise<StartProblem[]> {
  if (config.media.storage === 'disk') return [];
  const logger = createLogger({ level: 'silent' });
  const objects = createObjectStorage(config, { clock: systemClock, logger });
  try {
    const failure = await failureOf(objects);
    if (failure === null) return [];
    const isError = failure instanceof S3Failure && failure.refusal !== null;
    return [
      { setting: 'media.s3', message: `${objects.place}: ${failure.detail ?? failure.message}`, isError },
    ];
  } finally {
    await objects.close();
  }
}

/** Logs the same. A store that refuses does not stop the start: keys and stored previews need none. */
export async function checkAtStart(objects: ObjectStorage, logger: Logger): Promise<void> {
  const failure = await failureOf(objects);
  const place = objects.place;
  if (failure === null) logger.info({ place }, 'media is kept in object storage');
  else logger.error({ err: failure, place, detail: failure.detail }, 'the media store cannot be used');
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
