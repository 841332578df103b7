import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { slowness } from '../../../support/machine-speed.js';
import { createTestDatabase, testEngines } from '../../../support/store/databases.js';
import { longestTurnMs } from '../../../support/turns.js';
import { raiseAlarm } from './raise-alarm.js';

const OPEN = 40_000;
/** Defaults of alerts.max_alarms_per_domain and alerts.max_alarms. */
const LIMITS = { maxPerDomain: 10, maxTotal: 1000 };
/** Of processor time, most of it for the rows that are read. */
const MAX_TURN_MS = 1000;

const logger = createLogger({ level: 'silent' });

describe.each(testEngines())('alarms from before there was a bound, on %s', (engine) => {
  let database: Database;
  let cleanup: () => Promise<void>;
  beforeEach(async () => {
    const place = await createTestDatabase(engine);
    database = await openDatabase(place.options, logger);
    ({ cleanup } = place);
    await database.client
      .$executeRawUnsafe(`INSERT INTO remote_server (server_name, first_asked_ts, throttle_tokens,
        throttle_tokens_ts, alarm_seq, alarm_count)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OPEN})
      SELECT 'server' || i || '.domain' || i || '.test', 1, 1, 1, i, 1 + i % 2 FROM n`);
    await database.client.remoteServer.create({
      data: { serverName: 'new.test', firstAskedTs: 1n, throttleTokens: 1, throttleTokensTs: 1n },
    });
  });
  afterEach(async () => {
    await database.close();
    await cleanup();
  });

  it('give way all at once to a new one, the event loop stays free', async () => {
    const longestMs = await longestTurnMs(async () => {
      await raiseAlarm(database, 'new.test', LIMITS);
      // SQLite may have done all of it in one turn, which ends here.
      await nextTurn();
    });

    const left = await database.client.remoteServer.findMany({
      where: { alarmSeq: { not: null }, serverName: { not: 'new.test' } },
      orderBy: { alarmSeq: 'asc' },
      select: { alarmSeq: true, alarmCount: true },
    });
    // Those of domains that have two of them went first, then the latest.
    expect(left).toHaveLength(LIMITS.maxTotal - 1);
    expect(left.every(({ alarmCount }) => alarmCount === 1)).toBe(true);
    expect(left.at(-1)?.alarmSeq).toBe(2 * (LIMITS.maxTotal - 1));
    expect(await database.client.remoteServer.findFirst({ where: { serverName: 'new.test' } })).toMatchObject(
      { alarmCount: 1 },
    );
    expect(longestMs).toBeLessThan(MAX_TURN_MS * slowness());
  });
});
