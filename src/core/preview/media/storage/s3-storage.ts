import { buffer } from 'node:stream/consumers';

import type { S3Bucket } from '../../../net/object-storage/s3-bucket.js';
import type { MediaInspector } from '../../preview-worker.js';
import type { RenderedImage, RenderJob } from '../image/thumbnailer.js';
import { filePath, thumbnailPath } from '../media-paths.js';
import type {
  ByteRange,
  ListOptions,
  MediaStorage,
  OpenFile,
  StoredBytes,
  StoredFile,
} from './media-storage.js';

/** More S3 does not give at once. */
const MAX_PAGE_SIZE = 1000;
const DELETED_AT_ONCE = 8;

/** Files of media as objects of a bucket, under the paths they would have on disk. */
export class S3Storage implements MediaStorage {
  /** `prefix` comes before all keys: empty, or with a slash at its end. */
  constructor(
    private readonly objects: { bucket: S3Bucket; prefix: string },
    private readonly inspector: MediaInspector,
    private readonly pageSize = MAX_PAGE_SIZE,
  ) {}

  async store(mediaId: string, bytes: Buffer, maxPixels: number | null): Promise<StoredBytes> {
    const stored = await this.inspector.inspect(bytes, { maxPixels, disk: null });
    await this.objects.bucket.put(this.objects.prefix + filePath(mediaId), stored.body, stored.sha256);
    return stored;
  }

  async makeThumbnails(mediaId: string, job: RenderJob): Promise<RenderedImage | null> {
    const file = await this.get(filePath(mediaId));
    if (file === null) return null;
    const rendered = await this.inspector.render(await buffer(file.body), job);
    if (rendered === null || 'decodeError' in rendered) return rendered;
    for (const { bytes, ...key } of rendered.thumbnails)
      if (bytes !== undefined)
        await this.objects.bucket.put(this.objects.prefix + thumbnailPath(mediaId, key), bytes);
    return rendered;
  }

  get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    const text = range === undefined ? undefined : `bytes=${range.first}-${range.last}`;
    return this.objects.bucket.get(this.objects.prefix + path, text);
  }

  find(path: string): Promise<StoredFile | null> {
    return this.objects.bucket.head(this.objects.prefix + path);
  }

  async remove(path: string): Promise<true> {
    await this.objects.bucket.delete(this.objects.prefix + path);
    return true;
  }

  async removeAll(folder: string): Promise<void> {
    for await (const page of this.#pages(folder))
      for (let start = 0; start < page.length; start += DELETED_AT_ONCE)
        await Promise.all(page.slice(start, start + DELETED_AT_ONCE).map((path) => this.remove(path)));
  }

  async removeIfEmpty(): Promise<void> {}

  async *list(folder: string, { levels, onUnmanaged }: ListOptions): AsyncGenerator<string[]> {
    let lastForeign = '';
    for await (const page of this.#pages(folder)) {
      const ours: string[] = [];
      for (const path of page) {
        const foreign = foreignPart(path, folder, levels);
        if (foreign === null) ours.push(path);
        else if (foreign !== lastForeign) onUnmanaged?.((lastForeign = foreign));
      }
      if (ours.length > 0) yield ours;
    }
  }

  async hasFolder(folder: string): Promise<boolean> {
    const { keys } = await this.objects.bucket.list({
      prefix: `${this.objects.prefix}${folder}/`,
      after: '',
      limit: 1,
    });
    return keys.length > 0;
  }

  /** Each begins behind the last key of the one before, so that a page may be asked for again at any time. */
  async *#pages(folder: string): AsyncGenerator<string[]> {
    const prefix = `${this.objects.prefix}${folder}/`;
    for (let after = ''; ;) {
      const { keys, isLast } = await this.objects.bucket.list({ prefix, after, limit: this.pageSize });
      yield keys.map((key) => key.slice(this.objects.prefix.length));
      after = keys.at(-1) ?? '';
      if (isLast) return;
    }
  }
}

/** The first part of a path that is not ours, with all before it; `null`: the path is that of a file of ours. */
function foreignPart(path: string, folder: string, levels: ListOptions['levels']): string | null {
  const parts = path.slice(folder.length + 1).split('/');
  const wrong = parts.findIndex((part, at) => levels[at]?.(part) !== true);
  if (wrong === -1) return parts.length === levels.length ? null : path;
  return [folder, ...parts.slice(0, wrong + 1)].join('/');
}
