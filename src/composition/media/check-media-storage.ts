import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { createLogger, type Logger } from '../../core/base/logger.js';
import { S3Failure } from '../../core/net/object-storage/s3-failure.js';
import { clockOffsetText } from '../../core/operators/probes/media-store-probe.js';
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
    const found = await look(objects);
    if (found === null) return [];
    const { message, isRefused } = found;
    return [{ setting: 'media.s3', message: `${objects.place}: ${message}`, isError: isRefused }];
  } finally {
    await objects.close();
  }
}

/** Logs the same. A store that refuses does not stop the start: keys and previews that are remembered need none. */
export async function checkAtStart(objects: ObjectStorage | null, logger: Logger): Promise<void> {
  if (objects === null) return;
  const { place } = objects;
  const found = await look(objects);
  if (found === null) logger.info({ place }, 'media is kept in object storage');
  else logger.error({ place, detail: found.message }, 'the media store cannot be used as it should');
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
  const offset = clockOffsetText(await objects.clockOffsetMs());
  return offset === null ? null : { message: offset, isRefused: false };
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
