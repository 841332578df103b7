import { createObjectStorage } from '../../composition/media/media-storage.js';
import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { S3Failure } from '../../core/net/object-storage/s3-failure.js';
import type { MediaStorage } from '../../core/preview/media/storage/media-storage.js';
import { CommandError, EXIT } from '../exit.js';

/**
 * Runs work with the object storage of a configuration. When that is away or refuses, at first or on the way, the
 * command ends with the reason and with what `further` says then.
 */
export async function withObjectStorage<T>(
  config: Config,
  work: (storage: MediaStorage) => Promise<T>,
  further: () => string,
): Promise<T> {
  const logger = createLogger({ level: 'silent' });
  const objects = createObjectStorage(config, { clock: systemClock, logger });
  try {
    // Tells at once, and in full, when it cannot be used.
    await objects.storage.hasFolder('health');
    return await work(objects.storage);
  } catch (error) {
    if (!(error instanceof S3Failure)) throw error;
    const sentences = [`${objects.place}: ${error.detail}.`, further()].filter((text) => text !== '');
    throw new CommandError(sentences.join(' '), EXIT.unreachable);
  } finally {
    await objects.close();
  }
}
