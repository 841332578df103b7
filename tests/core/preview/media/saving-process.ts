import { createWriteStream } from 'node:fs';

import { openDatabase, type DatabaseOptions } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { MediaFiles } from '../../../../src/core/preview/media/media-files.js';
import { MediaRowStore } from '../../../../src/core/preview/media/media-row-store.js';
import { MediaStore } from '../../../../src/core/preview/media/media-store.js';
import { DiskStorage } from '../../../../src/core/preview/media/storage/disk-storage.js';
import { ThumbnailMaking } from '../../../../src/core/preview/media/thumbnail-making.js';
import { DETAILS, createMediaWork } from './media-kit.js';
import { sampleImage } from './sample-images.js';

// Stores images for ever, six at a time, and names each on standard output once it is stored. Killed by a test.
const [databaseText = '', folder = ''] = process.argv.slice(2);
const logger = createLogger({ level: 'silent' });
const files = new MediaFiles(new DiskStorage(folder));
const rows = new MediaRowStore(await openDatabase(JSON.parse(databaseText) as DatabaseOptions, logger));
const work = createMediaWork(logger);
const making = new ThumbnailMaking({ files, rows, work, logger, maxPending: 6 });
const store = new MediaStore({ files, rows, work, making, clock: systemClock, logger });
const output = createWriteStream('', { fd: 1 });
const photo = await sampleImage(200, 100).png().toBuffer();

async function saveForEver(): Promise<never> {
  for (;;) {
    const { mediaId } = await store.save({ body: photo }, DETAILS, { thumbnails: true, mayFollow: 'head' });
    output.write(`${mediaId}\n`);
  }
}

await Promise.all(Array.from({ length: 6 }, saveForEver));
