import { systemClock } from '../../core/base/clock.js';
import type { Database } from '../../core/store/db.js';
import { FederationWhitelist } from '../../core/notary/federation/federation-whitelist.js';
import { deleteKeyRecords } from '../../core/operators/keys/delete-records.js';
import { findLatestFetches } from '../../core/operators/keys/fetch-history.js';
import type { FetchRow } from '../../core/operators/keys/fetch-history.js';
import { findEntriesOfServer } from '../../core/operators/keys/key-entries.js';
import type { KeyEntry } from '../../core/operators/keys/key-entries.js';
import { refreshForOperator } from '../../core/operators/keys/operator-refresh.js';
import { createLogger } from '../../core/base/logger.js';
import {
  createFederationClient,
  createFetchParts,
  createRefresher,
} from '../../composition/key-fetch-services.js';
import type { UsableConfig } from '../configuration.js';

/** Fetches the keys of a server now and stores the outcome. Null when nothing could be stored. */
export async function refreshStoredKeys(
  loaded: UsableConfig,
  database: Database,
  serverName: string,
): Promise<FetchRow | null> {
  const { config, origins } = loaded;
  const logger = createLogger({ level: 'silent' });
  const parts = createFetchParts(loaded, { clock: systemClock, logger });
  const client = createFederationClient(config, parts);
  const nothing = (): void => undefined;
  const refresher = createRefresher(config, {
    client,
    parts: { ...parts, database },
    onStored: nothing,
    onOutcome: nothing,
  });
  const origin = origins.originOf(['federation_domain_whitelist']);
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist, origin);
  try {
    const ownName = config.server_name;
    const outcome = await refreshForOperator(
      { refresher, whitelist, ownName, forgetPlace: nothing },
      serverName,
    );
    if (outcome !== 'ok' && outcome !== 'failed') return null;
    return (await findLatestFetches(database, [serverName]))[0] ?? null;
  } finally {
    client.close();
    await refresher.settle();
  }
}

/** Deletes the records of a server, or those that one of the key IDs leads to. Returns every key that went. */
export async function deleteStoredKeys(
  database: Database,
  serverName: string,
  keyIds: readonly string[],
): Promise<readonly KeyEntry[]> {
  const stored = await findEntriesOfServer(database.client, serverName);
  const wanted = stored.filter(({ keyId }) => keyIds.length === 0 || keyIds.includes(keyId));
  const recordIds = [...new Set(wanted.map(({ recordId }) => recordId))];
  if (recordIds.length === 0) return [];
  const deletion = { ts: systemClock.now(), actor: 'cli' };
  // A server that runs keeps the records in memory for some seconds more.
  const parts = { database, invalidate: () => undefined };
  return (await deleteKeyRecords(parts, recordIds, deletion)).entries;
}
