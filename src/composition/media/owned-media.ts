import { setTimeout as delay } from 'node:timers/promises';

import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { createLogger, type Logger } from '../../core/base/logger.js';
import {
  ownerObjection,
  requireMedia,
  type OwnedMedia,
} from '../../core/preview/media/storage/media-owner.js';
import { databaseIdentity, findDatabaseIdentity } from '../../core/store/database-identity.js';
import type { Database } from '../../core/store/db.js';
import type { StartProblem } from '../start/start-problem.js';
import { createDiskStorage, createObjectStorage, type ChosenStorage } from './media-storage.js';

/** The start does not wait longer for media: keys, and previews that are remembered, need none. */
const START_LOOK_MS = 2000;

/** Whether the media of a server is its database's. */
export interface MediaOwnership {
  /** Rejects when it is another's, whose files would all be removed as orphans; marks it as ours otherwise. */
  requireOwn: () => Promise<void>;
  /** The same at the start; a store that is away or cannot be written is asked again by each garbage collection. */
  requireOwnAtStart: () => Promise<void>;
  /** What another database says of it, for the health list; `null`: nothing. */
  objection: () => Promise<string | null>;
}

/** `stored`: where media lies. */
export function mediaOwnership(
  parts: { database: Database; logger: Logger },
  stored: Pick<ChosenStorage, 'storage' | 'objects'>,
): MediaOwnership {
  const media = ownedMedia(stored);
  return {
    requireOwn: async () => requireMedia(media, await databaseIdentity(parts.database)),
    requireOwnAtStart: () => requireAtStart(media, parts),
    objection: async () => ownerObjection(media, await findDatabaseIdentity(parts.database)),
  };
}

/** The health list and runs of jobs name no paths of this machine. */
function ownedMedia({ storage, objects }: Pick<ChosenStorage, 'storage' | 'objects'>): OwnedMedia {
  return { storage, place: objects?.place ?? 'media_store_path' };
}

async function requireAtStart(
  media: OwnedMedia,
  { database, logger }: { database: Database; logger: Logger },
): Promise<void> {
  const identity = await databaseIdentity(database);
  const looked = requireMedia(media, identity).catch((error: unknown) => {
    if (error instanceof ApiError && error.reason === 'media_of_another') throw error;
    logger.warn({ err: error }, 'nobody could be asked whose the media is');
  });
  const ended = new AbortController();
  const late = delay(START_LOOK_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    await Promise.race([looked, late]);
  } finally {
    ended.abort();
    // What comes too late is told by the garbage collection.
    looked.catch(() => undefined);
  }
}

/** What the owner of a configuration's media says against this database. A store that is away says nothing. */
export async function checkMediaOwner(config: Config, database: Database | null): Promise<StartProblem[]> {
  const identity = database === null ? null : await findDatabaseIdentity(database);
  const logger = createLogger({ level: 'silent' });
  const isDisk = config.media.storage === 'disk';
  const objects = isDisk ? null : createObjectStorage(config, { clock: systemClock, logger });
  const storage = objects?.storage ?? createDiskStorage(config);
  try {
    const message = await ownerObjection(ownedMedia({ storage, objects }), identity).catch(() => null);
    const setting = isDisk ? 'media_store_path' : 'media.s3.prefix';
    return message === null ? [] : [{ setting, message, isError: true }];
  } finally {
    await objects?.close();
  }
}
