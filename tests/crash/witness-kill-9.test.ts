import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rootOfEntries } from '../support/clients/log-client.js';
import { seededRandom } from '../support/mutations.js';
import { programFile } from '../support/own-process.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { OTHER_LOG_KEY, openTestWitness } from '../support/store/test-witness.js';

/** `VIDIMUS_WITNESS_KILLS=200` for a long run. */
const KILLS = Number(process.env['VIDIMUS_WITNESS_KILLS'] ?? '6');
const INSTANCES = 2;
const TEST_TIMEOUT_MS = 300_000 + KILLS * 10_000;
const STARTER = 'tests/support/store/witnessing-process.ts';

describe.each(testEngines())('witnesses killed with -9 while they cosign, on %s', (engine) => {
  let place: TestDatabase;
  let folder: string;
  const random = seededRandom(20_261_122);
  /** Roots that were cosigned, by size. */
  const roots = new Map<number, Set<string>>();
  let started = 0;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    folder = await mkdtemp(join(tmpdir(), 'vidimus-kills-'));
  });
  afterAll(async () => {
    await place.cleanup();
    await rm(folder, { recursive: true });
  });

  const runFor = async (ms: number) => {
    started += 1;
    const said = join(folder, String(started));
    const output = openSync(said, 'w');
    const child = spawn(process.execPath, [await programFile(STARTER), JSON.stringify(place.options)], {
      stdio: ['ignore', output, 'pipe', 'ipc'],
    });
    closeSync(output);
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += String(chunk)));
    const closed = once(child, 'close');
    await Promise.race([once(child, 'message'), closed]);
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill('SIGKILL');
    const [, signal] = (await closed) as [number | null, string | null];
    expect([signal, errors]).toEqual(['SIGKILL', '']);
    // The last line may be cut off.
    for (const line of readFileSync(said, 'utf8').split('\n').slice(0, -1)) {
      const [, size = '', root = ''] = line.split(' ');
      roots.set(Number(size), (roots.get(Number(size)) ?? new Set()).add(root));
    }
  };

  it(
    'never cosign two roots of one size, and go on from what they have cosigned',
    async () => {
      let kills = 0;
      const instance = async () => {
        while (kills < KILLS) {
          kills += 1;
          await runFor(100 + random(400));
        }
      };
      await Promise.all(Array.from({ length: INSTANCES }, instance));

      const last = await openTestWitness(place);
      const { checkpoint, size } = await last.store.read(OTHER_LOG_KEY.name);
      await last.close();
      const entries = Array.from(checkpoint.split('\n')[3]!, (entry, index) =>
        Buffer.from(`${index} ${entry}`),
      );
      expect(roots.size).toBeGreaterThan(KILLS / 2);
      expect(Math.max(...roots.keys())).toBeLessThanOrEqual(size);
      const wrong = [...roots].filter(
        ([at, found]) => found.size !== 1 || !found.has(rootOfEntries(entries.slice(0, at))),
      );
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
});
