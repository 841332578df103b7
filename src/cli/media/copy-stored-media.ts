import { createDiskStorage } from '../../composition/media/media-storage.js';
import type { Config } from '../../config/schema.js';
import { newCopyState, type CopyState } from '../../core/preview/media/storage/copy-media.js';
import type { MediaStorage } from '../../core/preview/media/storage/media-storage.js';
import { requireConfig, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { note, print, printJson } from '../terminal/print.js';
import { copyFiles, textOf } from './copy-files.js';
import { withObjectStorage } from './with-object-storage.js';

export type StorageName = Config['media']['storage'];

export interface CopyOption extends ConfigOption {
  from: StorageName;
  to: StorageName;
  startAt?: string;
  json?: true;
}

/** Copies media between the two storages of one configuration, whichever of them is in use. */
export async function copyStoredMedia(option: CopyOption): Promise<void> {
  const { from, to, startAt } = option;
  if (from === to) throw new CommandError('--from and --to are the same storage.', EXIT.use);
  const { config } = requireConfig(option);
  requireObjectStorage(config);
  const state = newCopyState();
  await withObjectStorage(
    config,
    (objects) => {
      const storages: Record<StorageName, MediaStorage> = { disk: createDiskStorage(config), s3: objects };
      return copyFiles({ from: storages[from], to: storages[to], startAt }, state);
    },
    () => (state.folder === '' ? '' : `${textOf(state)}. Go on with --start-at ${state.folder}.`),
  );
  report(state, option);
}

function requireObjectStorage({ media: { s3 } }: Config): void {
  const hasSecret = s3.secret_access_key !== null || s3.secret_access_key_path !== null;
  if (s3.bucket !== null && s3.access_key_id !== null && hasSecret) return;
  const wanted = 'bucket, access_key_id and secret_access_key_path';
  throw new CommandError(`Say in the configuration which object storage: media.s3 with ${wanted}.`, EXIT.use);
}

function report(state: CopyState, { json }: CopyOption): void {
  const { files, copied, same, gone, failed, failures, bytes } = state;
  if (json) printJson({ files, copied, same, gone, failed, bytes, failures });
  else {
    for (const { path, reason } of failures) note(`${path}: ${reason}`);
    print(`${textOf(state)}; each was read back and compared.`);
  }
  if (failed > 0) throw new CommandError(json ? null : 'Some files were not copied. Run the command again.');
}
