import type { Config } from '../../config/schema.js';
import type { KnownTimes } from '../../core/base/judged-clock.js';
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
