import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createTestDatabase, testEngines } from '../../../support/store/databases.js';
import { raiseAlarm } from './raise-alarm.js';

const OPEN = 9;
const LIMITS = { maxPerDomain: 10, maxTotal: 4 };
const WIDE = { maxPerDomain: 10, maxTotal: 100 };

const logger = createLogger({ level: 'silent' });

describe.each(testEngines())('more alarms than the bound allows, on %s', (engine) => {
  let database: Database;
  let cleanup: () => Promise<void>;
  beforeAll(async () => {
    const place = await createTestDatabase(engine);
    database = await openDatabase(place.options, logger);
    ({ cleanup } = place);
    const rowAt = (_: unknown, at: number) => ({
      serverName: `server.domain${at}.test`,
      firstAskedTs: 1n,
      throttleTokens: 1,
      throttleTokensTs: 1n,
      alarmSeq: 1 + at,
      alarmCount: 1,
    });
    await database.client.remoteServer.createMany({ data: Array.from({ length: OPEN }, rowAt) });
  });
  afterAll(async () => {
    await database.close();
    await cleanup();
  });

  it('are reduced to it by the next alarm, of a domain that has as many as any other, too', async () => {
    await raiseAlarm(database, 'server.domain0.test', LIMITS);

    const where = { alarmSeq: { not: null } };
    const waiting = await database.client.remoteServer.findMany({ where, orderBy: { alarmSeq: 'asc' } });
    expect(waiting.map((row) => [row.alarmSeq, row.alarmCount])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  it('is sent once its transaction is committed, and never when that is taken back', async () => {
    const steps: string[] = [];
    const raised = () => void steps.push('sent');
    const finish = () => void steps.push('stored');
    await raiseAlarm(database, 'server.domain1.test', WIDE, { raised, finish });
    expect(steps).toEqual(['stored', 'sent']);

    const failing = () => {
      throw new Error('of its own');
    };
    await expect(
      raiseAlarm(database, 'server.domain2.test', WIDE, { raised, finish: failing }),
    ).rejects.toThrow('of its own');
    expect(steps).toEqual(['stored', 'sent']);
  });
});
