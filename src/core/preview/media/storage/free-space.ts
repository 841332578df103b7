import { statfs } from 'node:fs/promises';

import { ApiError } from '../../../base/errors/api-error.js';

/** What space is kept free of, and how much of it. */
export interface FreeSpaceOptions {
  /** Any folder of the file system in question; one that is not there yet is not asked about. */
  folder: string;
  /** Setting media.min_free_space. */
  minBytes: number;
  /** Told of each media that is refused. */
  onRefused: (state: DiskState) => void;
}

/** Where media lies and how much is free there, for the log alone. */
export interface DiskState {
  media_store_path: string;
  /** `null`: the file system does not tell. */
  free_bytes: number | null;
  /** The setting, in bytes. */
  min_free_space: number;
}

/**
 * Leaves space on the disk of media for all else that lies there: anybody can link to pages of many megabytes that
 * take a few kilobytes to send, and a full disk keeps the keys of other servers from being stored.
 */
export class FreeSpace {
  /** Of media that is being written. */
  #takenBytes = 0;

  constructor(private readonly options: FreeSpaceOptions) {}

  /** Room for a media, until the function returned is called. Rejects with an ApiError `disk_full`. */
  async take(bytes: number): Promise<() => void> {
    const { minBytes, onRefused } = this.options;
    this.#takenBytes += bytes;
    const release = (): void => void (this.#takenBytes -= bytes);
    if (minBytes === 0) return release;
    const state = await this.state();
    if ((state.free_bytes ?? Infinity) - this.#takenBytes >= minBytes) return release;
    release();
    onRefused(state);
    throw new ApiError(500, 'The media could not be stored', {
      reason: 'disk_full',
      detail: 'Less than media.min_free_space would be left on the disk of media_store_path',
    });
  }

  async state(): Promise<DiskState> {
    const { folder, minBytes } = this.options;
    return {
      media_store_path: folder,
      free_bytes: await freeBytesOf(folder),
      min_free_space: minBytes,
    };
  }
}

/** `null` where the file system does not tell, or the folder is not there yet: writing will. */
async function freeBytesOf(folder: string): Promise<number | null> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}
