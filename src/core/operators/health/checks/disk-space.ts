import { counted } from '../../../base/text/strings.js';
import { warning, type Check } from '../health.js';
import { judgeFolder } from '../folder-space.js';

export interface DiskSpaceSources {
  /** Setting media_store_path. */
  folder: string;
  /** Setting media.min_free_space. */
  minFreeBytes: number;
  /** Media whose file is gone. */
  missingFiles: () => Promise<number>;
}

/** Whether media on disk is complete and has room. */
export function diskSpaceCheck({ folder, minFreeBytes, ...sources }: DiskSpaceSources): Check {
  return {
    id: 'media_storage',
    title: 'Disk space for media',
    how: 'queried the file system',
    check: async () => {
      const advice = 'Free some space, shorten previews.media_retention, or delete media.';
      const space = await judgeFolder(folder, { minFreeBytes, advice });
      const missing = space.state === 'ok' ? await sources.missingFiles() : 0;
      if (missing === 0) return { ...space, href: '/previews?tab=media' };
      return warning(
        `${counted(missing, 'stored file')} missing from disk although nobody deleted them.`,
        'Restore them from a backup, or delete the entries.',
        '/previews?tab=media&file=MISSING',
      );
    },
  };
}
