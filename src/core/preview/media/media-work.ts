import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorCode } from '../../base/errors/api-error.js';
import {
  Thumbnailer,
  type Thumbnail,
  type InspectedMedia,
  type RenderedImage,
  type RenderJob,
} from './image/thumbnailer.js';
import { filePath, thumbnailPath } from './media-paths.js';
import { writeLocalFile } from './storage/write-local-file.js';

/** A media's file on a disk of this machine, below the folder of all media. */
export interface LocalMedia {
  folder: string;
  mediaId: string;
}

/** Work on the bytes and local files of media, done in the worker thread. */
export class MediaWork {
  readonly #thumbnailer = new Thumbnailer();

  /** What bytes are; on `disk` they become the media's file first. Rejects with the errors of the file system. */
  async inspect(
    bytes: Buffer,
    { maxPixels, disk }: { maxPixels: number | null; disk: LocalMedia | null },
  ): Promise<InspectedMedia> {
    const found = await this.#thumbnailer.inspect(bytes, maxPixels);
    if (disk !== null)
      await writeLocalFile({ folder: disk.folder, path: filePath(disk.mediaId), isDurable: true }, bytes);
    return found;
  }

  /**
   * Thumbnails of an image: of bytes, with theirs; or of a file, as files beside it. `null`: there is no such file.
   * Rejects with the errors of the file system.
   */
  async render(source: Buffer | LocalMedia, job: RenderJob): Promise<RenderedImage | null> {
    if (Buffer.isBuffer(source)) return this.#thumbnailer.render(source, job);
    const { folder, mediaId } = source;
    const bytes = readUnlessAbsent(join(folder, filePath(mediaId)));
    if (bytes === null) return null;
    const rendered = await this.#thumbnailer.render(bytes, job);
    if ('decodeError' in rendered) return rendered;
    const thumbnails: Thumbnail[] = [];
    // Not flushed: one that a power failure cut short does not have the size that its row states.
    for (const { bytes: thumbnail, ...made } of rendered.thumbnails) {
      const path = thumbnailPath(mediaId, made);
      if (thumbnail !== undefined) await writeLocalFile({ folder, path, isDurable: false }, thumbnail);
      thumbnails.push(made);
    }
    return { thumbnails };
  }

  warmUp(): Promise<void> {
    return this.#thumbnailer.warmUp();
  }
}

function readUnlessAbsent(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}
