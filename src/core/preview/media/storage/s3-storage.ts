import type { S3Bucket } from '../../../net/object-storage/s3-bucket.js';
import type { ByteRange, ListOptions, MediaStorage, OpenFile, StoredFile } from './media-storage.js';

/** More S3 does not give at once. */
const MAX_PAGE_SIZE = 1000;
const DELETED_AT_ONCE = 8;

/** Files of media as objects of a bucket, under the paths they would have on disk. */
export class S3Storage implements MediaStorage {
  /** `prefix` comes before all keys: empty, or with a slash at its end. */
  constructor(
    private readonly bucket: Pick<S3Bucket, 'put' | 'get' | 'head' | 'delete' | 'list'>,
    private readonly prefix: string,
    private readonly pageSize = MAX_PAGE_SIZE,
  ) {}

  put(path: string, body: Uint8Array, sha256?: string): Promise<void> {
    return this.bucket.put(this.prefix + path, body, sha256);
  }

  get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    const text = range === undefined ? undefined : `bytes=${range.first}-${range.last}`;
    return this.bucket.get(this.prefix + path, text);
  }

  find(path: string): Promise<StoredFile | null> {
    return this.bucket.head(this.prefix + path);
  }

  async remove(path: string): Promise<'removed'> {
    await this.bucket.delete(this.prefix + path);
    return 'removed';
  }

  async removeAll(folder: string): Promise<void> {
    for await (const page of this.#pages(folder))
      for (let start = 0; start < page.length; start += DELETED_AT_ONCE)
        await Promise.all(page.slice(start, start + DELETED_AT_ONCE).map((path) => this.remove(path)));
  }

  async removeIfEmpty(): Promise<boolean> {
    return false;
  }

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

  async listFolders(): Promise<string[]> {
    return [];
  }

  async hasFolder(folder: string): Promise<boolean> {
    const { keys } = await this.bucket.list({ prefix: `${this.prefix}${folder}/`, after: '', limit: 1 });
    return keys.length > 0;
  }

  /** Each begins behind the last key of the one before, so that a page may be asked for again at any time. */
  async *#pages(folder: string): AsyncGenerator<string[]> {
    const prefix = `${this.prefix}${folder}/`;
    for (let after = ''; ;) {
      const { keys, isLast } = await this.bucket.list({ prefix, after, limit: this.pageSize });
      yield keys.map((key) => key.slice(this.prefix.length));
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
