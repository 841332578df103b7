import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { openDatabase, type Database, type DatabaseOptions } from '../../../../src/core/store/db.js';
import { createLogger, type Logger } from '../../../../src/core/base/logger.js';
import { MediaFiles } from '../../../../src/core/preview/media/media-files.js';
import { MediaReader } from '../../../../src/core/preview/media/media-reader.js';
import { MediaRowStore } from '../../../../src/core/preview/media/media-row-store.js';
import {
  MediaStore,
  type MediaDetails,
  type SavedMedia,
} from '../../../../src/core/preview/media/media-store.js';
import type { ThumbnailSize } from '../../../../src/core/preview/media/image/thumbnail-sizes.js';
import { Thumbnailer } from '../../../../src/core/preview/media/image/thumbnailer.js';
import type { MediaProcessor } from '../../../../src/core/preview/media/storage/media-jobs.js';
import { InProcessMediaProcessor } from '../../../../src/core/preview/media/storage/in-process-media-processor.js';
import { DiskStorage } from '../../../../src/core/preview/media/storage/disk-storage.js';
import type { MediaStorage } from '../../../../src/core/preview/media/storage/media-storage.js';
import { StoredMediaProcessor } from '../../../../src/core/preview/media/storage/stored-media-processor.js';
import { MediaWork } from '../../../../src/core/preview/media/storage/media-work.js';
import { ThumbnailMaking } from '../../../../src/core/preview/media/thumbnail-making.js';
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

/** What stores media and hands it out. */
export interface MediaWing {
  store: MediaStore;
  making: ThumbnailMaking;
  reader(dynamic: boolean): MediaReader;
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
  files: MediaFiles;
  rows: MediaRowStore;
  /** Another one on the same rows and files, where others do the work. */
  wing(processor?: MediaProcessor, maxPending?: number): MediaWing;
  reader(options?: { dynamic: boolean }): MediaReader;
  save(bytes: Buffer, details?: Partial<MediaDetails>): Promise<SavedMedia>;
  /** All files below the folder, relative. */
  listFiles(): string[];
  remove(): Promise<void>;
}

export async function createMediaKit(
  engine: TestEngine,
  at: { folder?: string; storage?: MediaStorage } = {},
): Promise<MediaKit> {
  const { options, cleanup } = await createTestDatabase(engine);
  const logs: string[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => logs.push(chunk.toString('utf8')));
  const logger = createLogger({ level: 'debug', destination });
  const database = await openDatabase(options, logger);
  const folder = at.folder ?? (await mkdtemp(join(tmpdir(), 'vidimus-media-')));
  const clock = new ManualClock();
  const storage = at.storage ?? new DiskStorage(folder);
  const files = new MediaFiles(storage);
  const rows = new MediaRowStore(database);
  const parts = { files, rows, clock, logger };
  const processor = at.storage && new StoredMediaProcessor(storage, createProcessor());
  const own = createWing(parts, processor);
  return {
    databaseOptions: options,
    database,
    clock,
    logger,
    logs,
    folder,
    storage,
    files,
    rows,
    wing: (other, maxPending) => createWing(parts, other ?? processor, maxPending),
    reader: ({ dynamic } = { dynamic: false }) => own.reader(dynamic),
    save: (body, details) => own.store.save({ body }, { ...DETAILS, ...details }, { thumbnails: true }),
    listFiles: () => filesBelow(folder),
    remove: async () => {
      await database.close();
      await cleanup();
      if (at.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

function createWing(
  parts: Pick<MediaKit, 'files' | 'rows' | 'clock' | 'logger'>,
  processor?: MediaProcessor,
  maxPending = 64,
): MediaWing {
  const work = createMediaWork(parts.logger, processor);
  const making = new ThumbnailMaking({ ...parts, work, maxPending });
  return {
    making,
    store: new MediaStore({ ...parts, work, making }),
    reader: (dynamic) => new MediaReader({ ...parts, making, sizes: DEFAULT_SIZES, dynamic }),
  };
}

/** Work on files and pixels in the thread of the test. */
export function createMediaWork(logger: Logger, processor: MediaProcessor = createProcessor()): MediaWork {
  return new MediaWork({ processor, sizes: DEFAULT_SIZES, maxPixels: MAX_PIXELS, blurhash: false, logger });
}

function createProcessor(): InProcessMediaProcessor {
  return new InProcessMediaProcessor(new Thumbnailer());
}

/** Relative paths of all files below a folder, sorted. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
