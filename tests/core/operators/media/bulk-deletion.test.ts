import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { JobStore } from '../../../../src/core/job-runner/job-store.js';
import { JobRunner } from '../../../../src/core/job-runner/job-runner.js';
import { MediaRemoval } from '../../../../src/core/preview/cleanup/preview-cleanup.js';
import {
  type DeletionParts,
  deleteMedia,
  PreviewRemoval,
} from '../../../../src/core/operators/previews/deletions.js';
import { testEngines } from '../../../support/store/databases.js';
import { createCleaner, savePreview } from '../../preview/cleanup/cleanup-kit.js';
import { PreviewCache, PreviewForgetting } from '../../../../src/core/preview/pipeline/preview-cache.js';
import { InstanceMessages } from '../../../../src/core/store/instances/instance-messages.js';
import { createMediaKit } from '../../preview/media/media-kit.js';
import { setUpEach } from '../../../support/set-up.js';

describe.each(testEngines())('deleting media in bulk on %s', (engine) => {
  const kit = setUpEach(() => createMediaKit(engine));
  let parts: DeletionParts;

  beforeEach(async () => {
    const { database, clock, logger, storage } = kit;
    const mediaRemoval = new MediaRemoval({ database, storage, clock, logger });
    parts = {
      database,
      clock,
      previewRemoval: new PreviewRemoval({
        database,
        media: mediaRemoval,
        forgetting: new PreviewForgetting(
          new PreviewCache({ clock, maxBytes: 1, failureLifetimeMs: () => 0 }),
          new InstanceMessages(database, logger),
        ),
      }),
      mediaRemoval,
      runner: new JobRunner({
        store: new JobStore(database, clock),
        clock,
        logger,
        instance: 'test',
      }),
    };
  });

  const request = { dryRun: false, actor: 'op' };
  const previews = () => kit.database.client.previewCache.count();

  it('keeps the row of a file that cannot be removed, and its preview, and says so', async () => {
    const stuck = await savePreview(kit, Buffer.from('a'), 'text/html');
    const good = await savePreview(kit, Buffer.from('b'), 'text/html');
    const path = kit.file(stuck);
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'in-the-way'), '');

    const report = await deleteMedia(parts, {
      ...request,
      filter: { ids: [stuck, good, 'nobody'] },
      expectedCount: 2,
    });

    expect(report).toMatchObject({
      matched: 2,
      deleted: 1,
      freedBytes: 1,
      run: null,
    });
    expect(report.error).toMatch(/^Files could not be removed: 1 × E/);
    expect((await kit.rows.find(stuck))?.fileRemovedTs).toBe(kit.clock.now());
    expect(await previews()).toBe(1);
  });

  it('leaves to the garbage collection what a crash left: marked rows whose files are still there', async () => {
    const mediaId = await savePreview(kit, Buffer.from('a'), 'text/html');
    await kit.database.client.media.updateMany({ where: { mediaId }, data: { fileRemovedTs: 1n } });

    await createCleaner(kit).collectNow();

    expect(kit.listFiles()).toEqual([]);
    await deleteMedia(parts, { ...request, filter: { ids: [mediaId] }, expectedCount: 1 });
    expect(await kit.rows.find(mediaId)).toBeNull();
    expect(await previews()).toBe(0);
  });
});
