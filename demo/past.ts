import { join } from 'node:path';

import { createLogger } from '../src/core/base/logger.js';
import { acceptKeyRecord } from '../src/core/notary/key-record/key-record.js';
import { saveRecords } from '../src/core/notary/keys/saving/record-rows.js';
import { inTransaction, openDatabase } from '../src/core/store/db.js';
import { migrate } from '../src/core/store/migrate.js';
import { rememberAWeek } from '../tests/browser/support/past-week.js';
import { makeKeyRecord } from '../tests/support/origins/key-record-maker.js';
import { keyOf, ROTATED_TS, type Servers } from './servers.js';

const DAY_MS = 24 * 3_600_000;
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

/**
 * What a service that has been running would have: metrics of a week, and two months of one server: ten records, four days
 * without a valid one, and another key from the sixth on.
 */
export async function storePast(folder: string, { rotated }: Servers): Promise<void> {
  const options = { engine: 'sqlite', path: join(folder, 'vidimus.db'), synchronous: 'normal' } as const;
  const logger = createLogger({ level: 'silent' });
  await migrate(options, logger);
  const database = await openDatabase(options, logger);
  const [old, key] = [keyOf(rotated, 'a_2025'), keyOf(rotated)];
  const save = async (fetchedTs: number, isOld: boolean) => {
    const published = makeKeyRecord({
      serverName: rotated,
      keys: [isOld ? old : key],
      ...(isOld ? {} : { oldKeys: [{ key: old, expiredTs: ROTATED_TS }] }),
      validUntilTs: fetchedTs + 6 * DAY_MS,
    });
    const record = acceptKeyRecord(published, rotated, POLICY);
    await inTransaction(database, (open) => saveRecords(open, [{ record, published, fetchedTs }]));
  };
  for (const days of [30, 25, 20, 10, 5]) await save(ROTATED_TS - days * DAY_MS, true);
  for (const days of [0, 5, 10, 15, 20]) await save(ROTATED_TS + days * DAY_MS, false);
  await rememberAWeek(database, Date.now());
  await database.close();
}
