import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openCheckpoint } from '@vidimus/tlog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { rootOfEntries } from '../support/clients/log-client.js';
import { seededRandom } from '../support/mutations.js';
import { programFile } from '../support/own-process.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { LOG_KEY, growTo, openTestLog } from '../support/store/test-log.js';

/** `VIDIMUS_LOG_KILLS=200` for the whole number. */
const KILLS = Number(process.env['VIDIMUS_LOG_KILLS'] ?? '8');
const INSTANCES = 3;
const TEST_TIMEOUT_MS = 300_000 + KILLS * 10_000;
const STARTER = 'tests/support/store/sequencing-process.ts';

describe.each(testEngines())('instances killed with -9 while they append to the log, on %s', (engine) => {
  let place: TestDatabase;
  let folder: string;
  const random = seededRandom(20_261_122);
  const queued = new Set<string>();
  const kept = new Set<string>();
  /** Roots of each size that was ever published. */
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

  const hear = (line: string) => {
    const [kind = '', ...rest] = line.split(' ');
    const said = rest.join(' ');
    if (kind === 'queued') queued.add(said);
    if (kind === 'kept') kept.add(said);
    if (kind !== 'published') return;
    const { size, root } = openCheckpoint(Buffer.from(said, 'base64').toString(), LOG_KEY.verifier)!;
    roots.set(size, (roots.get(size) ?? new Set()).add(root.toString('base64')));
  };
  /** Runs an instance, kills it a while after its first checkpoint, and hears what it said. */
  const runFor = async (ms: number) => {
    started += 1;
    const name = String(started);
    const said = join(folder, name);
    const output = openSync(said, 'w');
    const child = spawn(process.execPath, [await programFile(STARTER), JSON.stringify(place.options), name], {
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
    for (const line of readFileSync(said, 'utf8').split('\n').slice(0, -1)) hear(line);
    await rm(said);
  };

  it(
    'lose no entry, enter none twice, and never sign two roots of one size',
    async () => {
      let kills = 0;
      const instance = async () => {
        while (kills < KILLS) {
          kills += 1;
          await runFor(random(400));
        }
      };
      await Promise.all(Array.from({ length: INSTANCES }, instance));

      const last = await openTestLog(place);
      const waiting = await last.database.client.logQueue.count();
      await growTo(last, last.log.size + waiting);
      const rows = await last.database.client.logEntry.findMany({ orderBy: { seq: 'asc' } });
      const entries = rows.map(({ entry }) => Buffer.from(entry));
      await last.close();

      expect(last.log.damage).toBeNull();
      expect(kept.size).toBeGreaterThan(KILLS);
      expect(roots.size).toBeGreaterThan(KILLS / 4);
      const entered = entries.map(String);
      const all = new Set(entered);
      expect(all.size).toBe(entered.length);
      expect([...kept].filter((entry) => !all.has(entry))).toEqual([]);
      expect(entered.filter((entry) => !queued.has(entry))).toEqual([]);
      const wrong = [...roots].filter(
        ([size, found]) => found.size !== 1 || !found.has(rootOfEntries(entries.slice(0, size))),
      );
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );
});
