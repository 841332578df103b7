import { resolve } from 'node:path';

import { createDiskStorage } from '../../composition/media/media-storage.js';
import type { Config } from '../../config/schema.js';
import { newCopyState, type CopyOptions } from '../../core/preview/media/storage/copy-media.js';
import { DiskStorage } from '../../core/preview/media/storage/disk-storage.js';
import type { MediaStorage } from '../../core/preview/media/storage/media-storage.js';
import { CommandError } from '../exit.js';
import { copyFiles, textOf } from '../media/copy-files.js';
import { withObjectStorage } from '../media/with-object-storage.js';
import { note, print } from '../terminal/print.js';

/** Runs work with the media of a configuration; `further` is said when object storage is away or refuses. */
export function withMedia<T>(
  config: Config,
  work: (storage: MediaStorage) => Promise<T>,
  further: () => string,
): Promise<T> {
  if (config.media.storage === 'disk') return work(createDiskStorage(config));
  return withObjectStorage(config, work, further);
}

/** A folder with copies of media, as `db backup --media` makes it. */
export function mediaFolder(path: string): MediaStorage {
  return new DiskStorage(resolve(path));
}

/** How media is copied along. */
export interface CopyAlong {
  /** From where to where, given the media of the configuration. */
  between: (storage: MediaStorage) => CopyOptions;
  /** What to do when some of it was not copied. */
  remedy: string;
  json?: boolean | undefined;
}

/** Copies media along and says how that went; rejects when some of it was not copied, with how far it came. */
export async function copyAlong(config: Config, { between, remedy, json }: CopyAlong): Promise<void> {
  const state = newCopyState();
  await withMedia(
    config,
    (storage) => copyFiles(between(storage), state),
    () => `media: ${textOf(state)}. ${remedy}`,
  );
  for (const { path, reason } of state.failures) note(`${path}: ${reason}`);
  if (json !== true) print(`media: ${textOf(state)}`);
  if (state.failed > 0) throw new CommandError(`Some media was not copied. ${remedy}`);
}
