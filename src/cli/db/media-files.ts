import { resolve } from 'node:path';

import { createDiskStorage, createObjectStorage } from '../../composition/media/media-storage.js';
import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { newCopyState } from '../../core/preview/media/storage/copy-media.js';
import { DiskStorage } from '../../core/preview/media/storage/disk-storage.js';
import type { MediaStorage } from '../../core/preview/media/storage/media-storage.js';
import { CommandError } from '../exit.js';
import { copyFiles, textOf } from '../media/copy-files.js';
import { note, print } from '../terminal/print.js';

/** Runs work with the media of a configuration. */
export async function withMedia<T>(config: Config, work: (storage: MediaStorage) => Promise<T>): Promise<T> {
  if (config.media.storage === 'disk') return work(createDiskStorage(config));
  const logger = createLogger({ level: 'silent' });
  const objects = createObjectStorage(config, { clock: systemClock, logger });
  try {
    return await work(objects.storage);
  } finally {
    await objects.close();
  }
}

/** A folder with copies of media, as `db backup --media` makes it. */
export function mediaFolder(path: string): MediaStorage {
  return new DiskStorage(resolve(path));
}

/** Copies media along and says how that went; rejects when some of it was not copied. */
export async function copyAlong(from: MediaStorage, to: MediaStorage, json = false): Promise<void> {
  const state = newCopyState();
  await copyFiles({ from, to }, state);
  for (const { path, reason } of state.failures) note(`${path}: ${reason}`);
  if (!json) print(`media: ${textOf(state)}`);
  if (state.failed > 0)
    throw new CommandError('Some media was not copied. "vidimus media copy" or --media again.');
}
