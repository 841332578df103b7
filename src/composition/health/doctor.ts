import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { diskSpaceCheck } from '../../core/operators/health/checks/disk-space.js';
import { objectStorageCheck } from '../../core/operators/health/checks/object-storage.js';
import { type Check, Health, type HealthLine } from '../../core/operators/health/health.js';
import { createHomeserver } from '../access.js';
import { createFetchParts } from '../key-fetch.js';
import type { LoadedSettings } from '../parts.js';
import { createObjectStorage } from '../media/object-storage.js';
import { outsideChecks } from './outside-checks.js';

/** Runs given checks, and those that need no database, once: what goes out, and the storage of media. Worst first. */
export async function examine(loaded: LoadedSettings, checks: readonly Check[]): Promise<HealthLine[]> {
  const { config } = loaded;
  const surroundings = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  const parts = createFetchParts(loaded, surroundings);
  const signingKeys = { list: async () => [] };
  const homeserver = createHomeserver({ ...surroundings, config });
  const outside = { ...parts, homeserver, signingKeys, findOwnToken: null };
  const objects = config.media.storage === 's3' ? createObjectStorage(config) : null;
  const storage = objects === null ? folderCheck(config) : objectStorageCheck(objects);
  const all = [...checks, ...outsideChecks(outside), storage];
  try {
    const health = new Health({ ...surroundings, checks: () => all });
    await health.probe();
    return await health.look();
  } finally {
    parts.lookups.close();
    objects?.close();
  }
}

function folderCheck({ media, media_store_path: folder }: Config): Check {
  return diskSpaceCheck({ folder, minFreeBytes: media.min_free_space, missingFiles: async () => 0 });
}
