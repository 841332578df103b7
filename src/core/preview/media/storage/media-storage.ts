import type { Readable } from 'node:stream';

/** What is known of a stored file. */
export interface StoredFile {
  sizeBytes: number;
  modifiedTs: number;
}

/** A file to store. */
export interface NewFile {
  body: Uint8Array | Readable;
  /** Exactly that many bytes; other bodies are refused. */
  sizeBytes: number;
  /** Hex. */
  sha256: string;
}

/** First and last byte, both included. */
export interface ByteRange {
  first: number;
  last: number;
}

/** A file that is being read. Its reader reads it to its end or destroys it. */
export interface OpenFile {
  body: Readable;
  /** Of the whole file, also when a part is read. */
  sizeBytes: number;
}

/** How what lies below a folder is listed. */
export interface ListOptions {
  /** What names may be at each level below the folder; files stand at the last one. */
  levels: readonly ((name: string) => boolean)[];
  /** Told the path of what is not ours: of another name, or a folder where a file belongs and the reverse. */
  onUnmanaged?: ((path: string) => void) | undefined;
  /** Told the path of a folder at the last level that holds nothing. */
  onEmptyFolder?: ((path: string) => void) | undefined;
}

/** What only a file system has. */
export interface Folders {
  /** Removes a folder when it is empty; that it is not, or not there, is fine. Resolves to whether it was removed. */
  removeIfEmpty(path: string): Promise<boolean>;
  /** Folders in a folder whose names fit. */
  list(path: string, isOurs: (name: string) => boolean): Promise<string[]>;
}

/**
 * Where files of media lie. Paths begin with `root`, their parts are joined by slashes, and they are made of media ids
 * alone. Errors are those of the file system, or 503 `media_store_away` or `media_store_refused`: then nothing is known
 * of what is there.
 */
export interface MediaStorage {
  /** What all paths begin with; empty, or without a slash at its end. */
  readonly root: string;
  /** `null`: there are none, and none need to be made or removed. */
  readonly folders: Folders | null;
  /** Whole and durable once it resolves; replaces what is there. After a rejection it may still come to be. */
  put(path: string, file: NewFile): Promise<void>;
  /** `null`: there is no such file. */
  get(path: string, range?: ByteRange): Promise<OpenFile | null>;
  /** `null`: there is none, or something else in its place. */
  find(path: string): Promise<StoredFile | null>;
  /** The same of many; those that are not there are left out. */
  findMany(paths: readonly string[]): Promise<Map<string, StoredFile>>;
  /** `gone`: there was none. Object storage does not tell. */
  remove(path: string): Promise<'removed' | 'gone'>;
  /** Removes everything below a folder. */
  removeAll(folder: string): Promise<void>;
  /** Paths of files below a folder in bounded batches: folders in order of their names. */
  list(folder: string, options: ListOptions): AsyncGenerator<string[]>;
  /** Whether there is such a folder; in object storage whether anything is in it. */
  hasFolder(folder: string): Promise<boolean>;
}

/** Files listed together. */
const LIST_BATCH = 500;

/** Gathers what comes one by one. */
export async function* inBatches(items: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < LIST_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
