import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { openDatabase, type Database, type DatabaseOptions } from '../../../../src/core/store/db.js';
import type { Clock } from '../../../../src/core/base/clock.js';
import { createLogger, type Logger } from '../../../../src/core/base/logger.js';
import { MediaReader } from '../../../../src/core/preview/media/media-reader.js';
import {
  filePath,
  thumbnailPath,
  type ThumbnailKey,
  type ThumbnailSize,
} from '../../../../src/core/preview/media/media-paths.js';
import {
  MediaRowStore,
  MediaStore,
  type NewMedia,
  type MediaDetails,
} from '../../../../src/core/preview/media/media-store.js';
import { MediaWork } from '../../../../src/core/preview/media/media-work.js';
import { DiskStorage } from '../../../../src/core/preview/media/storage/disk-storage.js';
import type { MediaStorage } from '../../../../src/core/preview/media/storage/media-storage.js';
import { ThumbnailMaking } from '../../../../src/core/preview/media/thumbnail-making.js';
import type { MediaInspector } from '../../../../src/core/preview/preview-worker.js';
import { createTestDatabase, type TestEngine } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';

export const DEFAULT_SIZES: readonly ThumbnailSize[] = [
  { width: 32, height: 32, method: 'crop' },
  { width: 96, height: 96, method: 'crop' },
  { width: 320, height: 240, method: 'scale' },
  { width: 640, height: 480, method: 'scale' },
  { width: 800, height: 600, method: 'scale' },
];

export const MAX_PIXELS = 32 * 1024 * 1024;

export const DETAILS: MediaDetails = {
  userId: '@alice:notary.test',
  contentType: 'image/png',
  uploadName: 'cat.png',
  urlCache: 'https://pictures.test/cat.png',
};

/** Work on bytes in the thread of the test. */
export function createInspector(): MediaInspector {
  const work = new MediaWork();
  return {
    inspect: async (body, options) => ({ body, ...(await work.inspect(body, options)) }),
    render: (source, job) => work.render(source, job),
  };
}

/** What stores media and hands it out. */
export interface MediaWing {
  store: MediaStore;
  making: ThumbnailMaking;
  reader(dynamic: boolean): MediaReader;
}

/** What a wing is made of. */
export interface WingParts {
  storage: MediaStorage;
  rows: MediaRowStore;
  clock: Clock;
  logger: Logger;
}

/** Everything that stores media, on a database and a folder of its own. */
export interface MediaKit {
  databaseOptions: DatabaseOptions;
  database: Database;
  clock: ManualClock;
  logger: Logger;
  logs: string[];
  folder: string;
  storage: MediaStorage;
  rows: MediaRowStore;
  /** Another one on the same rows and files, where others do the work. */
  wing(inspector?: MediaInspector, maxPending?: number): MediaWing;
  reader(options?: { dynamic: boolean }): MediaReader;
  /** With its thumbnails. */
  save(bytes: Buffer, details?: Partial<MediaDetails>): Promise<NewMedia>;
  /** All files below the folder, relative. */
  listFiles(): string[];
  at(...parts: string[]): string;
  file(mediaId: string): string;
  thumbnail(mediaId: string, key?: Partial<ThumbnailKey>): string;
  remove(): Promise<void>;
}

export async function createMediaKit(
  engine: TestEngine,
  given: { folder?: string; storage?: MediaStorage } = {},
): Promise<MediaKit> {
  const { options, cleanup } = await createTestDatabase(engine);
  const logs: string[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => logs.push(chunk.toString('utf8')));
  const logger = createLogger({ level: 'debug', destination });
  const database = await openDatabase(options, logger);
  const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'vidimus-media-')));
  const clock = new ManualClock();
  const storage = given.storage ?? new DiskStorage({ folder, inspector: createInspector() });
  const rows = new MediaRowStore(database);
  const parts = { storage, rows, clock, logger };
  const on = (inspector: MediaInspector) => ({ ...parts, storage: new DiskStorage({ folder, inspector }) });
  const own = createWing(parts);
  const at = (...paths: string[]): string => join(folder, ...paths);
  const small = { width: 32, height: 32, method: 'crop', contentType: 'image/png' } as const;
  return {
    databaseOptions: options,
    database,
    clock,
    logger,
    logs,
    folder,
    storage,
    rows,
    wing: (inspector, maxPending) => createWing(inspector === undefined ? parts : on(inspector), maxPending),
    reader: ({ dynamic } = { dynamic: false }) => own.reader(dynamic),
    save: async (body, details) => {
      const saved = await own.store.save(
        { body },
        { ...DETAILS, ...details },
        { thumbnails: true, signal: new AbortController().signal },
      );
      await own.making.settle();
      return saved;
    },
    listFiles: () => filesBelow(folder),
    at,
    file: (mediaId) => at(filePath(mediaId)),
    thumbnail: (mediaId, key) => at(thumbnailPath(mediaId, { ...small, ...key })),
    remove: async () => {
      await database.close();
      await cleanup();
      if (given.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

export function createWing(parts: WingParts, maxPending = 64): MediaWing {
  const shared = { ...parts, maxPixels: MAX_PIXELS };
  const making = new ThumbnailMaking({ ...shared, sizes: DEFAULT_SIZES, maxPending });
  return {
    making,
    store: new MediaStore({ ...shared, making }),
    reader: (dynamic) => new MediaReader({ ...parts, making, sizes: DEFAULT_SIZES, dynamic }),
  };
}

/** Relative paths of all files below a folder, sorted. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
