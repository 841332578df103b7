import { createHash } from 'node:crypto';

import { LogKey, parseTilePlace } from '@vidimus/tlog';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readProof } from '../../../support/clients/log-client.js';
import { logCheck } from '../../../../src/core/operators/health/checks/state.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import {
  LOG_KEY,
  growTo,
  madeEntries,
  openTestLog,
  queueEntries,
  type TestLog,
} from '../../../support/store/test-log.js';

describe.each(testEngines())('the published log, on %s', (engine) => {
  let place: TestDatabase;
  let one: TestLog;
  const others: TestLog[] = [];

  beforeEach(async () => {
    place = await createTestDatabase(engine);
    one = await openTestLog(place);
    await queueEntries(one.database, madeEntries(0, 300));
    await growTo(one, 300);
  });
  afterEach(async () => {
    await Promise.all([one, ...others.splice(0)].map((log) => log.close()));
    await place.cleanup();
  });

  const tile = async ({ log }: TestLog, path: string) =>
    (await log.readTile(parseTilePlace(path)!))?.length ?? null;
  const reopened = async (key = LOG_KEY) => {
    const other = await openTestLog(place, { key });
    others.push(other);
    return other;
  };

  it('reads tiles and bundles as far as the checkpoint covers them, at each width they have had', async () => {
    const paths = ['0/000', '0/001.p/44', '0/000.p/7', '1/000.p/1', 'entries/001.p/44'];
    const sizes = await Promise.all(paths.map((path) => tile(one, path)));
    const bundle = madeEntries(256, 44).reduce((sum, entry) => sum + 2 + entry.length, 0);
    expect(sizes).toEqual([8192, 44 * 32, 7 * 32, 32, bundle]);
    const beyond = ['0/001', '0/001.p/45', '1/000.p/2', '2/000.p/1', 'entries/001.p/45'];
    expect(await Promise.all(beyond.map((path) => tile(one, path)))).toEqual(beyond.map(() => null));
  });

  it('keeps tiles in memory within its bound', async () => {
    const small = await openTestLog(place, { cacheBytes: 20_000 });
    others.push(small);
    for (let width = 1; width < 256; width += 1) await tile(small, `0/000.p/${width}`);
    expect(small.log.cachedBytes).toBeGreaterThan(10_000);
    expect(small.log.cachedBytes).toBeLessThanOrEqual(20_000);
  });

  it('proves every entry', async () => {
    for (const [index, entry] of madeEntries(0, 300).entries()) {
      const sha256 = createHash('sha256').update(entry).digest('hex');
      const proof = readProof((await one.log.proveRecord(sha256))!);
      expect(proof).toEqual({ entry, index, note: one.log.checkpoint, isValid: true });
    }
  });

  it('stops at its start when the stored tiles are not those of the checkpoint, and appends no more', async () => {
    const { logTile } = one.database.client;
    const row = await logTile.findUniqueOrThrow({ where: { level_n: { level: 0, n: 1 } } });
    const hashes = Buffer.from(row.hashes);
    hashes[40]! ^= 1;
    await logTile.update({ where: { level_n: { level: 0, n: 1 } }, data: { hashes } });
    const other = await reopened();
    expect(other.log.damage).toBe('the stored tiles have another root than the checkpoint of 300 entries');
    const check = logCheck(other.log, {
      maximumMergeDelayMs: 10_000,
      maximumWitnessDelayMs: 1,
      witnessDelayMs: () => 0,
    });
    expect(await check.check()).toMatchObject({ state: 'failed' });
    await queueEntries(one.database, madeEntries(300, 1));
    await other.sequencer.run();
    await one.sequencer.run();
    expect(one.log.damage).toBe(other.log.damage);
    expect([one.log.size, other.log.size, await one.database.client.logEntry.count()]).toEqual([
      300, 300, 300,
    ]);
    expect(await one.database.client.logQueue.count()).toBe(1);
  });

  it('stops when the database is older than what was published', async () => {
    const { logState } = one.database.client;
    const older = await logState.findUniqueOrThrow({ where: { id: 1 }, omit: { cosignatures: true } });
    await queueEntries(one.database, madeEntries(300, 1));
    await growTo(one, 301);
    await logState.update({ where: { id: 1 }, data: older });
    await one.sequencer.run();
    expect(one.log.damage).toBe('301 entries have been published, but the database has 300');
  });

  it('stops when the checkpoint is another of the same size, or by another key', async () => {
    const { logState } = one.database.client;
    await logState.update({ where: { id: 1 }, data: { checkpoint: LOG_KEY.signNote('x\n300\nAAAA\n') } });
    await one.log.refresh();
    expect(one.log.damage).toBe(
      '300 entries have been published, but the database has a different checkpoint of them',
    );
    const other = await reopened(new LogKey(LOG_KEY.name, Buffer.alloc(32, 1)));
    expect(other.log.damage).toBe('the last checkpoint does not bear the signature of our key');
  });
});
