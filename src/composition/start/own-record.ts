import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import type { AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { createFetchParts, withFreshFetcher } from '../key-fetch.js';
import type { FetchParts, LoadedSettings } from '../parts.js';

/** Our own record as a peer gets it that knows nothing of us but our name. Stores nothing. */
export function fetchOwnRecord(
  config: Config,
  parts: FetchParts,
  signal: AbortSignal,
): Promise<AcceptedRecord> {
  return withFreshFetcher(config, parts, async (fetcher) => {
    const { record } = await fetcher.fetch(config.server_name, { step: () => undefined }, { signal });
    return record;
  });
}

/** The same for a command, once. */
export async function fetchOwnRecordOnce(
  loaded: LoadedSettings,
  signal: AbortSignal,
): Promise<AcceptedRecord> {
  const surroundings = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  const parts = createFetchParts(loaded, surroundings);
  try {
    return await fetchOwnRecord(loaded.config, parts, signal);
  } finally {
    parts.lookups.close();
  }
}
