import { createHash } from 'node:crypto';

import { ClockWatch } from '../../../../src/core/preview/cleanup/clock-watch.js';
import { ExpiredStore } from '../../../../src/core/preview/cleanup/expired-store.js';
import { MediaGarbageCollector } from '../../../../src/core/preview/cleanup/media-garbage-collector.js';
import { PreviewCleanup } from '../../../../src/core/preview/cleanup/preview-cleanup.js';
import { GarbageCollectionStore } from '../../../../src/core/preview/cleanup/garbage-collection-store.js';
import { DAY_MS, HOUR_MS } from '../../../../src/core/base/clock.js';
import { JobLeaseStore } from '../../../../src/core/job-runner/job-lease-store.js';
import type { RunReport } from '../../../../src/core/job-runner/job-run.js';
import { JobRunStore } from '../../../../src/core/job-runner/job-run-store.js';
import { JobRunner } from '../../../../src/core/job-runner/job-runner.js';
import { MediaListing } from '../../../../src/core/preview/media/media-listing.js';
import type { MediaKit } from '../media/media-kit.js';

/** One process that cleans up. */
export interface Cleaner {
  cleanup: PreviewCleanup;
  collector: MediaGarbageCollector;
  runner: JobRunner;
  runs: JobRunStore;
  leases: JobLeaseStore;
  expired: ExpiredStore;
  /** What is due now. */
  clean(): Promise<RunReport>;
  /** Both as an operator would, waited for. */
  cleanNow(): Promise<RunReport>;
  collectNow(): Promise<RunReport>;
  /** Moves the time that really passes; without it, moving the clock is a jump. */
  passRealTime(ms: number): void;
  setReady(ready: boolean): void;
}

export function createCleaner(kit: MediaKit): Cleaner {
  const { database, clock, logger, files } = kit;
  const runs = new JobRunStore(database);
  const leases = new JobLeaseStore(database, clock);
  const expired = new ExpiredStore(database);
  let realMs = 0;
  let ready = true;
  const runner = new JobRunner({ store: runs, leases, clock, logger, instance: 'test' });
  const cleanup = new PreviewCleanup({
    expired,
    files,
    runner,
    clockWatch: new ClockWatch(() => realMs),
    forgetMemory: async () => undefined,
    isReady: () => ready,
    mediaRetentionMs: 2 * DAY_MS,
    hitRetentionMs: 30 * DAY_MS,
    logger,
  });
  const collector = new MediaGarbageCollector({
    store: new GarbageCollectionStore(database),
    files,
    listing: new MediaListing(kit.storage),
    runner,
    logger,
  });
  return {
    runner,
    runs,
    leases,
    expired,
    cleanup,
    collector,
    clean: () => cleanup.runs.runDue(clock.now()),
    cleanNow: async () => (await cleanup.runs.start(clock.now(), 'alice')).finished,
    collectNow: async () => (await collector.runs.start(clock.now(), 'alice')).finished,
    passRealTime: (ms) => {
      realMs += ms;
    },
    setReady: (value) => {
      ready = value;
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
export async function savePreviewRow(kit: MediaKit, mediaId: string): Promise<void> {
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
