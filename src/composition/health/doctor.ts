import type { Config } from '../../config/schema.js';
import type { CommandLine } from '../../core/base/text/command-line.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { diskSpaceCheck } from '../../core/operators/health/checks/disk-space.js';
import { Health } from '../../core/operators/health/health.js';
import type { Check, HealthLine } from '../../core/operators/health/health-check.js';
import { createHomeserver } from '../access.js';
import { createFetchParts } from '../key-fetch.js';
import type { LoadedSettings } from '../parts.js';
import { outsideChecks } from './outside-checks.js';

/** Runs each check once, probes included, worst first. Stores nothing. */
export async function examine(checks: readonly Check[]): Promise<HealthLine[]> {
  const logger = createLogger({ level: 'silent' });
  const health = new Health({ checks: () => checks, clock: systemClock, logger });
  await health.probe();
  return health.look();
}

/** The same without a database: what goes out, and the folder of media. */
export async function examineWithoutStore(
  loaded: LoadedSettings,
  { checks, commandLine }: { checks: readonly Check[]; commandLine: CommandLine },
): Promise<HealthLine[]> {
  const surroundings = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  const parts = createFetchParts(loaded, surroundings);
  const signingKeys = { list: async () => [] };
  const homeserver = createHomeserver(loaded.config, surroundings);
  const outside = { ...parts, homeserver, commandLine, signingKeys, findOwnToken: null };
  try {
    return await examine([
      ...checks,
      ...outsideChecks(loaded.config, outside),
      ...folderChecks(loaded.config),
    ]);
  } finally {
    parts.lookups.close();
  }
}

function folderChecks({ media, media_store_path: folder }: Config): Check[] {
  const minFreeBytes = media.min_free_space;
  const missingFiles = async (): Promise<number> => 0;
  return media.storage === 'disk' ? [diskSpaceCheck({ folder, minFreeBytes, missingFiles })] : [];
}
