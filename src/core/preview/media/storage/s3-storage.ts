import type { S3Bucket } from '../../../net/object-storage/s3-bucket.js';
import type { ByteRange, ListOptions, MediaStorage, NewFile, OpenFile, StoredFile } from './media-storage.js';

type Bucket = Pick<S3Bucket, 'put' | 'get' | 'head' | 'delete' | 'list'>;

/** More S3 does not give at once. */
const MAX_PAGE_SIZE = 1000;
/** Objects deleted at once below one folder. */
const DELETED_AT_ONCE = 8;
/** Pages read to find many objects; where they are further apart, each is asked for. */
const MAX_PAGES = 20;

/** Files of media as objects of a bucket, under the paths they would have on disk. */
export class S3Storage implements MediaStorage {
  readonly root = '';
  readonly folders = null;

  /** `prefix` comes before all keys: empty, or with a slash at its end. */
  constructor(
    private readonly bucket: Bucket,
    private readonly prefix: string,
    private readonly pageSize = MAX_PAGE_SIZE,
  ) {}

  put(path: string, file: NewFile): Promise<void> {
    return this.bucket.put(this.prefix + path, file);
  }

  get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    const text = range === undefined ? undefined : `bytes=${range.first}-${range.last}`;
    return this.bucket.get(this.prefix + path, text);
  }

  find(path: string): Promise<StoredFile | null> {
    return this.bucket.head(this.prefix + path);
  }

  /**
   * With one request for a thousand of what lies between the first and the last of them. What is not in the listing is
   * asked for: a store may list an object later than it serves it.
   */
  async findMany(paths: readonly string[]): Promise<Map<string, StoredFile>> {
    const left = new Set(paths);
    const found = new Map<string, StoredFile>();
    const sorted = paths.toSorted((one, other) => (one < other ? -1 : 1));
    const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
    const isBeyond = (path: string): boolean => path > last;
    let pages = 0;
    for await (const page of left.size > 1 ? this.#pages(parentOf(first, last), beforeOf(first)) : []) {
      for (const { path, ...file } of page) if (left.delete(path)) found.set(path, file);
      pages += 1;
      if (pages === MAX_PAGES || page.some(({ path }) => isBeyond(path))) break;
    }
    for (const path of left) {
      const file = await this.find(path);
      if (file !== null) found.set(path, file);
    }
    return found;
  }

  async remove(path: string): Promise<'removed'> {
    await this.bucket.delete(this.prefix + path);
    return 'removed';
  }

  async removeAll(folder: string): Promise<void> {
    for await (const page of this.#pages(`${folder}/`, '')) {
      for (let start = 0; start < page.length; start += DELETED_AT_ONCE)
        await Promise.all(page.slice(start, start + DELETED_AT_ONCE).map(({ path }) => this.remove(path)));
    }
  }

  async *list(folder: string, { levels, onUnmanaged }: ListOptions): AsyncGenerator<string[]> {
    let toldLast = '';
    for await (const page of this.#pages(`${folder}/`, '')) {
      const ours: string[] = [];
      for (const { path } of page) {
        const foreign = foreignPart(path, folder, levels);
        if (foreign === null) ours.push(path);
        else if (foreign !== toldLast) onUnmanaged?.((toldLast = foreign));
      }
      if (ours.length > 0) yield ours;
    }
  }

  async hasFolder(folder: string): Promise<boolean> {
    const { objects } = await this.bucket.list({ prefix: `${this.prefix}${folder}/`, after: '', limit: 1 });
    return objects.length > 0;
  }

  /** Each begins behind the last key of the one before, so that a page may be asked for again at any time. */
  async *#pages(below: string, after: string): AsyncGenerator<(StoredFile & { path: string })[]> {
    for (let last = after === '' ? '' : this.prefix + after; ;) {
      const { objects, isLast } = await this.bucket.list({
        prefix: this.prefix + below,
        after: last,
        limit: this.pageSize,
      });
      yield objects.map(({ key, ...file }) => ({ path: key.slice(this.prefix.length), ...file }));
      last = objects.at(-1)?.key ?? '';
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

/** Sorts before the path and after all that sorts before that. */
function beforeOf(path: string): string {
  return path.slice(0, -1);
}

/** What two paths begin with. */
function parentOf(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
