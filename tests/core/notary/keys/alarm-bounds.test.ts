import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createTestDatabase, testEngines } from '../../../support/store/databases.js';
import { raiseAlarm } from './raise-alarm.js';

const OPEN = 9;
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
      alarmSeq: 1 + at,
      alarmCount: 1,
    });
    await database.client.remoteServer.createMany({ data: Array.from({ length: OPEN }, rowAt) });
  });
  afterAll(async () => {
    await database.close();
    await cleanup();
  });

  it('gives way with the latest alarm of the domain that has the most, if the new one has fewer', async () => {
    const { remoteServer } = database.client;
    await remoteServer.update({ where: { serverName: 'server.domain3.test' }, data: { alarmCount: 2 } });
    await raiseAlarm(database, 'server.domain0.test', { maxPerDomain: 10, maxTotal: OPEN + 1 });
    await raiseAlarm(database, 'server.domain1.test', { maxPerDomain: 1, maxTotal: 100 });

    const open = await remoteServer.findMany({ where: { alarmSeq: { not: null } } });
    expect(open.map(({ serverName }) => serverName)).not.toContain('server.domain3.test');
    expect(open).toHaveLength(OPEN - 1);
    const raised = open.filter(({ alarmCount }) => alarmCount > 1).map(({ serverName }) => serverName);
    expect(raised).toEqual(['server.domain0.test']);
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
