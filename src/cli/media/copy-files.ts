import {
  copyMedia,
  countFiles,
  type CopyOptions,
  type CopyState,
} from '../../core/preview/media/storage/copy-media.js';
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
      total = await countFiles(options);
      await copyMedia(options, state);
    },
  );
}

/** What has been copied so far. */
export function textOf({ copied, same, failed, bytes }: CopyState): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${copied} copied, ${same} were there${failures}, ${formatBytes(bytes)}`;
}
