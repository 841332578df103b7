import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

import { programFile } from '../../../support/own-process.js';
import { testEngines } from '../../../support/store/databases.js';
import { createMediaKit, type MediaKit } from '../media/media-kit.js';
import { createCleaner } from './cleanup-kit.js';

const PROCESS = 'tests/core/preview/media/saving-process.ts';
const KILLS = 6;

/** Runs a process that stores media and kills it after some were stored; resolves to those it named. */
async function runAndKill(kit: MediaKit, storedBeforeKill: number): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [await programFile(PROCESS), JSON.stringify(kit.databaseOptions), kit.folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const closed = once(child, 'close');
  const named: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    named.push(line);
    if (named.length === storedBeforeKill) child.kill('SIGKILL');
  }
  await closed;
  return named;
}

it.each(testEngines())(
  'killed while media is stored on %s: no row lacks its file, and one garbage collection later no file its row',
  async (engine) => {
    const kit = await createMediaKit(engine);
    const named: string[] = [];
    let orphans = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      named.push(...(await runAndKill(kit, 1 + kill * 3)));
      const before = kit.listFiles().length;
      const report = await createCleaner(kit).collectNow();
      orphans += before - kit.listFiles().length;

      expect(report).toMatchObject({ outcome: 'ok' });
      expect(report.counts).not.toHaveProperty('rows_without_file');
      expect(report.counts).not.toHaveProperty('thumbnails_without_file');
      expect(kit.listFiles()).toHaveLength(
        (await kit.database.client.media.count()) + (await kit.database.client.mediaThumbnail.count()),
      );
    }

    for (const mediaId of named) expect(await kit.rows.find(mediaId)).not.toBeNull();
    expect(named.length).toBeGreaterThanOrEqual(KILLS);
    // Otherwise the kills came at harmless moments, and the test would prove nothing.
    expect(orphans).toBeGreaterThan(0);
    await kit.remove();
  },
);
