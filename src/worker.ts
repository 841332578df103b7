import { parentPort, workerData } from 'node:worker_threads';

import { LogKeeper } from './core/db/sqlite/log-keeper.js';
import { extractPage } from './core/extract/extract-page.js';
import { Thumbnailer } from './core/media/picture/thumbnailer.js';
import { OwnHands } from './core/media/keeping/media-hands.js';
import { serveCalls } from './core/worker/serve-calls.js';
import { yieldToMainThread } from './core/worker/yield-to-main.js';
import type { WorkerCalls, WorkerData } from './worker-services.js';

if (parentPort === null) throw new Error('this is the program of a worker thread');

yieldToMainThread();
const hands = new OwnHands(new Thumbnailer());
// The other side passes it in the same version of this program.
const { sqlitePath } = workerData as WorkerData;
const log = sqlitePath === null ? null : new LogKeeper(sqlitePath);

serveCalls<WorkerCalls>(parentPort, {
  keep: async (job, { body }) => {
    // Whatever is wrong with the file is met and told in the thread that writes to it.
    void log?.worked().catch(() => {});
    return hands.keep({ ...job, bytes: body });
  },
  makeThumbnails: (job) => hands.makeThumbnails(job),
  extractPage: ({ input, mode }, { body, signal }) => extractPage({ ...input, body }, { mode, signal }),
});
