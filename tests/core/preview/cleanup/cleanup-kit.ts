import { createHash } from 'node:crypto';

import { mediaGarbageCollection } from '../../../../src/core/preview/cleanup/media-garbage-collector.js';
import { MediaRemoval, previewCleanup } from '../../../../src/core/preview/cleanup/preview-cleanup.js';
import { DAY_MS, HOUR_MS } from '../../../../src/core/base/clock.js';
import { JobStore } from '../../../../src/core/job-runner/job-store.js';
import type { JobWork, RunReport } from '../../../../src/core/job-runner/job-run.js';
import { JobRunner } from '../../../../src/core/job-runner/job-runner.js';
import type { MediaKit } from '../media/media-kit.js';

/** One process that cleans up. */
export interface Cleaner {
  cleanup: JobWork;
  collector: JobWork;
  runner: JobRunner;
  store: JobStore;
  /** What is due now. */
  clean(): Promise<RunReport>;
  /** Both as an operator would, waited for. */
  cleanNow(): Promise<RunReport>;
  collectNow(): Promise<RunReport>;
  /** What is due so much later. */
  collect(laterMs?: number): Promise<RunReport>;
}

export function createCleaner(kit: MediaKit): Cleaner {
  const { database, clock, logger, storage } = kit;
  const store = new JobStore(database, clock);
  const runner = new JobRunner({ store, clock, logger, instance: 'test' });
  const cleanup = previewCleanup({
    database,
    removal: new MediaRemoval({ database, storage, clock, logger }),
    mediaRetentionMs: 2 * DAY_MS,
  });
  const collector = mediaGarbageCollection({ database, storage, logger });
  return {
    runner,
    store,
    cleanup,
    collector,
    clean: () => runner.runDue(cleanup),
    cleanNow: async () => (await runner.start({ ...cleanup, actor: 'alice' })).finished,
    collectNow: async () => (await runner.start({ ...collector, actor: 'alice' })).finished,
    collect: (laterMs = 0) => {
      const { job, work } = collector;
      return runner.runDue({ job, work: (progress, nowTs) => work(progress, nowTs + laterMs) });
    },
  };
}

/** Stores a preview of a page or image that expires one hour from now; resolves to its media id. */
export async function savePreview(kit: MediaKit, body: Buffer, contentType: string): Promise<string> {
  const { mediaId } = await kit.save(body, { contentType });
  await savePreviewRow(kit, mediaId);
  return mediaId;
}

/** The row of a preview that expires one hour from now. */
async function savePreviewRow(kit: MediaKit, mediaId: string): Promise<void> {
  const nowTs = kit.clock.now();
  const url = `https://pages.test/${mediaId}`;
  await kit.database.client.previewCache.create({
    data: {
      url,
      urlSha256: createHash('sha256').update(url).digest('hex'),
      responseCode: 200,
      expiresTs: BigInt(nowTs + HOUR_MS),
      openGraph: '{}',
      mediaId,
      createdTs: BigInt(nowTs),
      downloadTs: BigInt(nowTs),
    },
  });
}
