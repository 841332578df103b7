import { createWriteStream } from 'node:fs';

import { openDatabase, type DatabaseOptions } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { MediaRowStore } from '../../../../src/core/preview/media/media-store.js';
import { DiskStorage } from '../../../../src/core/preview/media/storage/disk-storage.js';
import { DETAILS, createInspector, createWing } from './media-kit.js';
import { sampleImage } from './sample-images.js';

// Stores images for ever, six at a time, and names each on standard output once it is stored. Killed by a test.
const [databaseText = '', folder = ''] = process.argv.slice(2);
const logger = createLogger({ level: 'silent' });
const rows = new MediaRowStore(await openDatabase(JSON.parse(databaseText) as DatabaseOptions, logger));
const storage = new DiskStorage({ folder, inspector: createInspector() });
const { store } = createWing({ storage, rows, logger, clock: systemClock });
const output = createWriteStream('', { fd: 1 });
const photo = await sampleImage(200, 100).png().toBuffer();

async function saveForEver(): Promise<never> {
  for (;;) {
    const { mediaId } = await store.save({ body: photo }, DETAILS, {
      thumbnails: true,
      signal: new AbortController().signal,
    });
    output.write(`${mediaId}\n`);
  }
}

await Promise.all(Array.from({ length: 6 }, saveForEver));
