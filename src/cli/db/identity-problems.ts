import { checkLogKey } from '../../composition/start/log-key.js';
import { readKeyFiles } from '../../composition/start/own-signing-keys.js';
import { checkIdentity } from '../../composition/start/start-checks.js';
import { fetchOwnRecordOnce } from '../../composition/start/own-record.js';
import type { LoadedSettings } from '../../composition/parts.js';
import { systemClock } from '../../core/base/clock.js';
import type { Database } from '../../core/store/db.js';

/** Why a server of this configuration would not start on a database: other names or keys than it knows. */
export async function identityProblems(loaded: LoadedSettings, database: Database): Promise<string[]> {
  const { config } = loaded;
  const fetchOwnRecord = (signal: AbortSignal) => fetchOwnRecordOnce(loaded, signal);
  const { keys, problems } = await readKeyFiles(config);
  // Without the keys nothing can be said about who we are.
  const identity = problems.some(({ isError }) => isError)
    ? []
    : await checkIdentity(config, { database, clock: systemClock, keys, fetchOwnRecord });
  const found = [...problems, ...identity, ...(await checkLogKey(config, database))];
  return [...new Set(found.filter(({ isError }) => isError).map(({ message }) => message))];
}
