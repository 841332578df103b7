import type { Config } from '../../config/schema.js';
import { SECOND_MS } from '../../core/base/clock.js';
import { LogStore } from '../../core/notary/log/log-store.js';
import type { LogKey } from '../../core/notary/log/notes/log-key.js';
import { VerifierKey } from '../../core/notary/log/notes/verifier-key.js';
import { PublishedLog } from '../../core/notary/log/published-log.js';
import { Sequencer } from '../../core/notary/log/sequencer.js';
import {
  CheckpointOffers,
  type CheckpointOffersOptions,
  type OfferOutcome,
} from '../../core/notary/log/witnesses/checkpoint-offers.js';
import type { Witness } from '../../core/notary/log/witnesses/witness-client.js';
import { WitnessStore } from '../../core/notary/log/witnesses/witness-store.js';
import { LogStatus } from '../../core/operators/log/log-status.js';
import { logCheck } from '../../core/operators/health/checks/log.js';
import { isStoreError } from '../../core/store/store-errors.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { feature, type ContextParts } from '../parts.js';

/** Both `null` when it is off. */
interface LogServices {
  published: PublishedLog | null;
  /** What operators see of it. */
  status: LogStatus | null;
}

/** The log of what we vouch for, alive while the store is open. */
export type Log = Awaited<ReturnType<typeof createLog>>;

const LOG_INTERVAL_MS = SECOND_MS;

/** Builds it over an open and migrated store; `key` is null when it is off. */
export async function createLog(config: Config, parts: ContextParts, key: LogKey | null) {
  if (key === null) return feature<LogServices>({ published: null, status: null });
  const { database, clock, logger } = parts;
  const witnesses = witnessesOf(config);
  const keys = witnesses.map((witness) => witness.key.text);
  const store = new WitnessStore(database, keys);
  await store.create();
  const log = await PublishedLog.open({
    database,
    clock,
    logger,
    key,
    cacheBytes: config.log.cache_size,
    cosignaturesOf: witnesses.length === 0 ? undefined : (size) => store.readLines(size),
  });
  const sequencer = new Sequencer({ database, clock, key, log });
  const offers = createOffers(config, parts, { log, store, witnesses });
  observe(parts, log, offers);
  return logFeature(config, parts, { key, log, offers, sequencer });
}

interface MadeLog {
  key: LogKey;
  log: PublishedLog;
  offers: CheckpointOffers;
  sequencer: Sequencer;
}

function logFeature(config: Config, parts: ContextParts, { key, log, offers, sequencer }: MadeLog) {
  const { maximum_witness_delay: maximumWitnessDelayMs, maximum_merge_delay: maximumMergeDelayMs } =
    config.log;
  const isWitnessed = config.log.witnesses.length > 0;
  const witnessDelayMs = () => (isWitnessed ? offers.unwitnessedMs : 0);
  const job = logJob(parts, async () => {
    await sequencer.run();
    await offers.run();
  });
  const store = new LogStore(parts.database);
  return feature<LogServices>(
    { published: log, status: new LogStatus({ key, log, offers, store, maximumMergeDelayMs }) },
    {
      healthChecks: [logCheck(log, { maximumMergeDelayMs, maximumWitnessDelayMs, witnessDelayMs })],
      signsWith: [key.signingKey],
      start: () => {
        job.start();
        void job.trigger();
      },
      close: async () => {
        await job.stop();
        await offers.close();
      },
    },
  );
}

function createOffers(
  { log: { witness_quorum: quorum, witness_timeout: timeoutMs } }: Config,
  { clock, logger, metrics }: ContextParts,
  made: Pick<CheckpointOffersOptions, 'log' | 'store' | 'witnesses'>,
): CheckpointOffers {
  const onOutcome = (outcome: OfferOutcome) => metrics.logOffers.inc({ outcome });
  return new CheckpointOffers({ quorum, timeoutMs, clock, logger, onOutcome, ...made });
}

function witnessesOf({ log }: Config): Witness[] {
  return log.witnesses.flatMap(({ verifier_key: text, url }) => {
    const key = VerifierKey.parse(text);
    return key === null ? [] : [{ key, url: new URL('add-checkpoint', url) }];
  });
}

function observe({ metrics }: ContextParts, log: PublishedLog, offers: CheckpointOffers): void {
  metrics.observeLog(() => ({
    entries: log.size,
    mergeDelayMs: log.mergeDelayMs,
    cachedBytes: log.cachedBytes,
    witnessedEntries: log.witnessed?.size ?? 0,
    unwitnessedMs: offers.unwitnessedMs,
  }));
}

function logJob({ logger }: ContextParts, work: () => Promise<void>): PeriodicJob {
  let isAway = false;
  const run = async (): Promise<void> => {
    try {
      await work();
      isAway = false;
    } catch (error) {
      if (!isStoreError(error)) throw error;
      // It is due every second, and the first line says it all.
      logger[isAway ? 'debug' : 'warn']({ err: error }, 'the log waits for the database');
      isAway = true;
    }
  };
  return new PeriodicJob({ name: 'log_sequencer', intervalMs: LOG_INTERVAL_MS, logger, run });
}
