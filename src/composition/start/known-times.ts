import type { Config } from '../../config/schema.js';
import type { Clock } from '../../core/base/clock.js';
import { clockWrong } from '../../core/base/errors/api-error.js';
import { clockError, type KnownTimes } from '../../core/base/judged-clock.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import type { Database } from '../../core/store/db.js';
import { programTs } from '../../core/store/migration/files.js';

/** What a clock is judged by; of the program alone without a database. */
export async function knownTimes(config: Config, database: Database | null): Promise<KnownTimes> {
  const signedTs =
    database === null ? null : await new SigningKeyStore(database).signedTs(config.server_name);
  return { programTs: programTs(config.database.engine), signedTs };
}

/** The same of the program alone while the store is away: the clock is judged then, too. */
export function timesKnownNow(config: Config, database: Database): Promise<KnownTimes> {
  return knownTimes(config, database).catch(() => knownTimes(config, null));
}

/** The time for what is signed and states it, POSIX ms. Rejects with 503 `clock_wrong` while that is impossible. */
export async function signingTs(
  config: Config,
  { database, clock }: { database: Database; clock: Clock },
): Promise<number> {
  const nowTs = clock.now();
  if (clockError(nowTs, await knownTimes(config, database)) !== null) throw clockWrong();
  return nowTs;
}
