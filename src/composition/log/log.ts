import { VerifierKey, type LogKey } from '@vidimus/tlog';

import { MINUTE_MS, SECOND_MS } from '../../core/base/clock.js';
import {
  CheckpointOffers,
  type OfferOutcome,
  CosignatureStore,
} from '../../core/notary/log/checkpoint-offers.js';
import { LogLoop, Sequencer } from '../../core/notary/log/sequencer.js';
import { PublishedLog } from '../../core/notary/log/published-log.js';
import type { LogStatus } from '../../core/operators/keys/key-records.js';
import { logCheck } from '../../core/operators/health/checks/state.js';
import { feature } from '../features.js';
import type { ContextParts } from '../parts.js';

/** Both `null` when it is off. `status`: the log for operators. */
type LogServices = { published: PublishedLog; status: LogStatus } | { published: null; status: null };

/** The log of what we vouch for, alive while the store is open. */
export type Log = Awaited<ReturnType<typeof createLog>>;

/** Instances wake only their own sequencer; entries of one that crashed are found by the others within this time. */
const POLL_MS = MINUTE_MS;
/** A record that is served gets its entry within this time, and a witnessed checkpoint within the next; health warns beyond. */
const MERGE_DELAY_MS = 10 * SECOND_MS;
const WITNESS_DELAY_MS = MINUTE_MS;
const CACHE_BYTES = 16 * 1024 * 1024;

/** Builds it over an open and migrated store; `key` is null when it is off. */
export async function createLog(parts: ContextParts, key: LogKey | null) {
  if (key === null) return feature<LogServices>({ published: null, status: null });
  const { database, clock, logger, logQueue } = parts;
  const { log, offers } = await openLog(parts, key);
  const loop = new LogLoop({
    sequencer: new Sequencer({ database, clock, key, log }),
    offers: offers.statuses.length === 0 ? null : offers,
    logger,
    pollMs: database.isShared ? POLL_MS : null,
  });
  const status = { key, log, offers, maximumMergeDelayMs: MERGE_DELAY_MS };
  const limits = { maximumMergeDelayMs: MERGE_DELAY_MS, maximumWitnessDelayMs: WITNESS_DELAY_MS };
  return feature<LogServices>(
    { published: log, status },
    {
      healthChecks: [logCheck(log, { ...limits, witnessDelayMs: () => offers.unwitnessedMs })],
      start: () => {
        if (logQueue !== null) logQueue.onCommitted = loop.wake.bind(loop);
        loop.wake();
      },
      close: async () => {
        await loop.stop();
        await offers.close();
      },
    },
  );
}

async function openLog({ config, database, clock, logger, metrics }: ContextParts, key: LogKey) {
  const { witness_quorum: quorum, witnesses: configured } = config.log;
  const witnesses = configured.flatMap(({ verifier_key: text, url }) => {
    const witnessKey = VerifierKey.parse(text);
    return witnessKey === null ? [] : [{ key: witnessKey, url: new URL(url) }];
  });
  const store = new CosignatureStore(
    database,
    witnesses.map((witness) => witness.key.text),
  );
  const cosignaturesOf = witnesses.length === 0 ? undefined : (size: number) => store.readLines(size);
  const parts = { database, clock, logger, key };
  const log = await PublishedLog.open({ ...parts, cacheBytes: CACHE_BYTES, cosignaturesOf });
  const onOutcome = (outcome: OfferOutcome) => metrics.logOffers.inc({ outcome });
  const offers = new CheckpointOffers({ ...parts, log, store, witnesses, quorum, onOutcome });
  metrics.observeLog(() => ({
    entries: log.size,
    mergeDelaySeconds: log.mergeDelayMs / 1000,
    cachedBytes: log.cachedBytes,
    witnessedEntries: log.witnessed?.size ?? 0,
    unwitnessedSeconds: offers.unwitnessedMs / 1000,
  }));
  return { log, offers };
}
