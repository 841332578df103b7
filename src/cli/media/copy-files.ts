import {
  copyMedia,
  countFiles,
  type CopyOptions,
  type CopyState,
} from '../../core/preview/media/storage/copy-media.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { copyOwner } from '../../core/preview/media/storage/media-owner.js';
import { CommandError } from '../exit.js';
import { formatBytes } from '../terminal/bytes.js';
import { showWhile } from '../terminal/show-while.js';

/** Copies media files, and draws how far it is. */
export async function copyFiles(options: CopyOptions, state: CopyState): Promise<void> {
  let total = 0;
  await showWhile(
    () =>
      total === 0
        ? { fraction: null, text: 'counting files' }
        : { fraction: state.files / total, text: textOf(state) },
    async () => {
      await takeOwnerAlong(options);
      total = await countFiles(options);
      await copyMedia(options, state);
    },
  );
}

async function takeOwnerAlong({ from, to }: CopyOptions): Promise<void> {
  try {
    await copyOwner(from, to);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'media_of_another') throw error;
    throw new CommandError(error.message);
  }
}

/** What has been copied so far. */
export function textOf({ copied, same, failed, bytes }: CopyState): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${copied} copied, ${same} were there${failures}, ${formatBytes(bytes)}`;
}
