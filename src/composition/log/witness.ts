import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import { JudgedClock } from '../../core/base/judged-clock.js';
import { VerifierKey } from '../../core/notary/log/notes/verifier-key.js';
import type { WitnessKey } from '../../core/notary/log/notes/witness-key.js';
import { CheckpointWitness, type KnownLog } from '../../core/notary/witness/checkpoint-witness.js';
import { WitnessedLogStore } from '../../core/notary/witness/witnessed-log-store.js';
import { witnessCheck } from '../../core/operators/overview/health/witness-checks.js';
import { programTs } from '../../core/store/migration/files.js';
import { feature, type ServerParts } from '../parts.js';

/** What it is built from. */
export type WitnessParts = Pick<ServerParts, 'database' | 'clock' | 'logger' | 'metrics'>;

/** What cosigns other logs, alive while the store is open. */
export type WitnessServices = Awaited<ReturnType<typeof createWitness>>;

/** Builds it over an open and migrated store; `key` is null when none is served. */
export async function createWitness(
  config: Config,
  { database, clock, logger, metrics }: WitnessParts,
  key: WitnessKey | null,
) {
  if (key === null) return feature({ witness: null });
  const store = new WitnessedLogStore(database);
  const known = await store.create(key.verifierKey);
  // Another instance has made the first key meanwhile.
  if (known !== key.verifierKey) throw new ApiError(500, `The database holds the witness ${known}`);
  const witness: CheckpointWitness | null = new CheckpointWitness({
    key,
    logs: logsOf(config),
    store,
    clock,
    judgedClock: new JudgedClock({ clock, logger, programTs: programTs(database.engine), signedTs: null }),
    logger,
    onOutcome: (outcome) => metrics.witnessOffers.inc({ outcome }),
  });
  return feature({ witness }, { healthChecks: [witnessCheck(witness, store)], signsWith: [key.signingKey] });
}

function logsOf({ witness }: Config): KnownLog[] {
  const keys = new Map<string, VerifierKey[]>();
  for (const { origin, verifier_key: text } of witness.logs) {
    const key = VerifierKey.parse(text);
    if (key !== null) keys.set(origin, [...(keys.get(origin) ?? []), key]);
  }
  return Array.from(keys, ([origin, all]) => ({ origin, keys: all }));
}
