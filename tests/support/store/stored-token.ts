import { AccessTokenStore, type TokenScope } from '../../../src/core/access/users/access-token-store.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase, type DatabaseOptions } from '../../../src/core/store/db.js';

/** Makes a token in the database of a server in another process. */
export async function storeToken(
  options: DatabaseOptions,
  { userId = null, scopes }: { userId?: string | null; scopes: readonly TokenScope[] },
): Promise<string> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    const store = new AccessTokenStore(database, systemClock);
    return (await store.create({ userId, label: 'test', expiresTs: null, scopes: [...scopes] })).token;
  } finally {
    await database.close();
  }
}
