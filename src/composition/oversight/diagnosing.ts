import type { Config } from '../../config/schema.js';
import type { SourcedConfig } from '../../config/setting-view.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import type { TraceStep } from '../../core/base/trace.js';
import { FederationWhitelist } from '../../core/notary/federation/federation-whitelist.js';
import type { AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { Pins } from '../../core/notary/oversight/pins.js';
import type { OtherNotary } from '../../core/notary/oversight/rule-schemas.js';
import type {
  DiagnosisOversight,
  DiagnosisRequest,
  ServerDiagnosis,
} from '../../core/operators/diagnosis/diagnose-server.js';
import { crossCheckStep } from '../../core/operators/diagnosis/oversight-steps.js';
import { askNotary, type NotaryAskingOptions } from '../../core/operators/oversight/outbox/notary-carrier.js';
import { nameConfiguredRules, whitelistOrigins } from '../blocking/rules.js';
import { createFetchParts, diagnoseAfresh } from '../key-fetch.js';
import type { FetchParts, LoadedSettings } from '../parts.js';
import { notaryAskingOf } from './sending.js';

/** Notaries that one diagnosis asks. */
const MAX_ASKED = 10;

/** Diagnoses as a command does: the store is not asked what it knows, pins and notaries are those of the configuration. */
export function diagnoseWithoutStore(
  loaded: LoadedSettings & SourcedConfig,
  question: DiagnosisRequest,
): Promise<ServerDiagnosis> {
  const { config, origins } = loaded;
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist, whitelistOrigins(origins));
  const parts = createFetchParts(loaded, { clock: systemClock, logger: createLogger({ level: 'silent' }) });
  nameConfiguredRules(loaded, parts);
  const oversight = oversightOf(config, parts);
  return diagnoseAfresh(config, { ...parts, whitelist, stored: null, oversight }, question);
}

function oversightOf(config: Config, parts: FetchParts): DiagnosisOversight {
  const pins = new Pins();
  pins.replace(config.pins);
  return diagnosingWith(pins, () => config.cross_check, notaryAskingOf(config, parts));
}

/** What a diagnosis asks beside the server. */
export function diagnosingWith(
  pins: Pins,
  notaries: () => readonly OtherNotary[],
  asking: NotaryAskingOptions,
): DiagnosisOversight {
  return { pins, askNotaries: (record, signal) => askNotaries(record, notaries(), { ...asking, signal }) };
}

async function askNotaries(
  { serverName, verifyKeys, validUntilTs }: AcceptedRecord,
  notaries: readonly OtherNotary[],
  {
    signal = new AbortController().signal,
    ...asking
  }: NotaryAskingOptions & { signal?: AbortSignal | undefined },
): Promise<TraceStep[]> {
  const keys = new Map([...verifyKeys].map(([keyId, { publicKey }]) => [keyId, publicKey]));
  const stored = { serverName, keys, validUntilTs: Math.min(Number(validUntilTs), Number.MAX_SAFE_INTEGER) };
  const asked = notaries.filter(({ server_name }) => server_name !== serverName).slice(0, MAX_ASKED);
  return Promise.all(
    asked.map(async (notary) => {
      const beganMs = performance.now();
      const check = await askNotary(notary, stored, { ...asking, signal });
      return crossCheckStep(notary.server_name, check, performance.now() - beganMs);
    }),
  );
}
