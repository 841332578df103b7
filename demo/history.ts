import { acceptKeyRecord } from '../src/core/notary/key-record/key-record.js';
import { KeyStore } from '../src/core/notary/keys/key-store.js';
import { inTransaction, type Database } from '../src/core/store/db.js';
import { makeKeyRecord } from '../tests/support/origins/key-record-maker.js';
import type { Servers } from './servers.js';
import { ROTATED, ROTATED_TS, keyOf } from './sicknesses.js';

const DAY_MS = 24 * 3_600_000;
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

/** Stores what was known of one server over two months: ten records, four days without a valid one, and another key from the sixth on. */
export async function storeHistory(database: Database, { names }: Servers): Promise<void> {
  const [serverName] = [...names].find(([, sickness]) => sickness === ROTATED) ?? [];
  if (serverName === undefined) return;
  const [old, key] = [keyOf(serverName, 'a_2025'), keyOf(serverName)];
  const save = async (fetchedTs: number, isOld: boolean) => {
    const published = makeKeyRecord({
      serverName,
      keys: [isOld ? old : key],
      ...(isOld ? {} : { oldKeys: [{ key: old, expiredTs: ROTATED_TS }] }),
      validUntilTs: fetchedTs + 6 * DAY_MS,
    });
    const record = acceptKeyRecord(published, serverName, POLICY);
    await inTransaction(database, (open) =>
      new KeyStore(database).saveAll(open, [{ record, published, fetchedTs }]),
    );
  };
  for (const days of [30, 25, 20, 10, 5]) await save(ROTATED_TS - days * DAY_MS, true);
  for (const days of [0, 5, 10, 15, 20]) await save(ROTATED_TS + days * DAY_MS, false);
}
