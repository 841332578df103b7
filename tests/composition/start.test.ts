import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { AppContext } from '../../src/composition/context.js';
import { readReferencedFiles } from '../../src/config/input/referenced-files.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { createLogger } from '../../src/core/base/logger.js';
import { memoryFolder } from '../support/memory-folder.js';

describe('a server', () => {
  let folder: string;
  let context: AppContext;
  beforeEach(async () => {
    folder = await mkdtemp(join(memoryFolder(), 'vidimus-start-'));
    const parsed = parseConfig({
      server_name: 'notary.test',
      signing_key_path: join(folder, 'signing.key'),
      media_store_path: join(folder, 'media'),
      database: { path: join(folder, 'vidimus.db') },
    });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const loaded = { config: parsed.config, files: readReferencedFiles(parsed.config).files };
    context = await AppContext.create(loaded, { logger: createLogger({ level: 'silent' }) });
    await context.open();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const dueJobs = () =>
    context.services.jobs.registry.definitions().filter((definition) => definition.nextRunTs() !== null);

  it('is ready before it begins its jobs, and begins none once it has been closed', async () => {
    expect(context.lifecycle.phase).toBe('ready');
    expect(dueJobs()).toEqual([]);
    context.start();
    expect(dueJobs()).not.toEqual([]);

    await context.close();
    context.start();
    expect(dueJobs()).toEqual([]);
  });
});
