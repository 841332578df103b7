import { readLogKey } from '../../composition/start/note-keys.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { RemoteLog } from '../../core/notary/log/follower/remote-log.js';
import { PublishedLog } from '../../core/notary/log/published-log.js';
import type { ConfigOption } from '../configuration.js';
import { CommandError } from '../exit.js';
import { withDatabase } from '../store-session.js';

/** Which key is asked about. */
export interface ProvenKey {
  serverName: string;
  keyId: string;
}

/** A proof has a hash a level, an entry and some hundred signatures. */
export const MAX_PROOF_BYTES = 256 * 1024;

/** A proof from the log of the configured database; `null`: the log knows no such key. */
export function proveFromStore(
  option: ConfigOption,
  { serverName, keyId }: ProvenKey,
): Promise<string | null> {
  return withDatabase(option, async ({ config }, database) => {
    const key = await readLogKey(config);
    const logger = createLogger({ level: 'silent' });
    const { cache_size: cacheBytes } = config.log;
    const log = await PublishedLog.open({ database, clock: systemClock, logger, key, cacheBytes });
    if (log.damage !== null) throw new CommandError(`The log is damaged: ${log.damage}.`);
    return log.proveKey(serverName, keyId);
  });
}

/** The same from the address of any log. Rejects with `ApiError` when no complete answer comes. */
export async function proveFromRemote(url: URL, { serverName, keyId }: ProvenKey): Promise<string | null> {
  const remote = new RemoteLog({ url, signal: new AbortController().signal });
  try {
    const path = `proof/${encodeURIComponent(serverName)}/${encodeURIComponent(keyId)}`;
    return (await remote.read(path, MAX_PROOF_BYTES))?.toString() ?? null;
  } finally {
    remote.close();
  }
}
