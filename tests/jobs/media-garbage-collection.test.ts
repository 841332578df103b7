import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../src/core/base/clock.js';
import { JobPauseStore } from '../../src/core/job-runner/job-pause-store.js';
import { mediaGarbageCollectionJob } from '../../src/jobs/media-garbage-collection.js';
import type { ScheduledJob } from '../../src/jobs/scheduled-job.js';
import { createCleaner } from '../core/preview/cleanup/cleanup-kit.js';
import { createMediaKit, type MediaKit } from '../core/preview/media/media-kit.js';
import { testEngines } from '../support/store/databases.js';

describe.each(testEngines())(
  'the garbage collection by the clock, where others may write too, on %s',
  (engine) => {
    let kit: MediaKit;
    let scheduled: ScheduledJob;

    beforeEach(async () => {
      kit = await createMediaKit(engine);
      const { database, clock, logger } = kit;
      scheduled = mediaGarbageCollectionJob(createCleaner(kit, { isOnlyWriter: false }).collector, {
        clock,
        logger,
        pauses: new JobPauseStore(database, clock),
        designatedInstance: null,
        instance: null,
      });
    });
    afterEach(() => kit.remove());

    /** A file that no row knows. */
    function leave(letters: string, ageMs = 0): string {
      const path = kit.files.filePath(`2027-01-15_${letters}`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'left by a crash');
      const writtenTs = (kit.clock.now() - ageMs) / 1000;
      utimesSync(path, writtenTs, writtenTs);
      return path;
    }

    /** Takes a table away from the garbage collection, or gives it back. */
    const rename = (from: string, to: string) =>
      kit.database.client.$executeRawUnsafe(`ALTER TABLE ${from} RENAME TO ${to}`);

    const passes = async (ms: number): Promise<void> => {
      kit.clock.advance(ms);
      await scheduled.job?.trigger();
    };

    it('comes again when orphans that were too recent are old enough', async () => {
      const path = leave('strayStrayStrayS', 5 * MINUTE_MS);
      await passes(0);
      expect(existsSync(path)).toBe(true);

      await passes(10 * MINUTE_MS - 1);
      expect(existsSync(path)).toBe(true);
      await passes(1);
      expect(existsSync(path)).toBe(false);
    });

    it('comes again a minute after it failed, then more and more rarely', async () => {
      const leftover = leave('strayStrayStrayS', 20 * MINUTE_MS);
      await rename('media', 'media_away');
      await passes(0);
      await passes(MINUTE_MS);
      await rename('media_away', 'media');

      await passes(2 * MINUTE_MS - 1);
      expect(existsSync(leftover)).toBe(true);
      await passes(1);
      expect(existsSync(leftover)).toBe(false);
    });

    it('comes six hours later when it left none, or only some that are dated ahead', async () => {
      leave('aheadAheadAheadA', -HOUR_MS);
      await passes(0);
      const leftover = leave('strayStrayStrayS', 20 * MINUTE_MS);

      await passes(5 * HOUR_MS);
      expect(existsSync(leftover)).toBe(true);
      await passes(HOUR_MS);
      expect(existsSync(leftover)).toBe(false);
    });
  },
);
