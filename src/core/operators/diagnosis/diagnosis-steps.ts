import { HOUR_MS } from '../../base/clock.js';
import { counted, quoteForDetail, timeText } from '../../base/text/strings.js';
import type { StepStatus, TraceStep } from '../../base/trace.js';
import type { FederationWhitelist } from '../../notary/federation/server-name.js';
import type { AcceptedRecord } from '../../notary/key-record/key-record.js';
import type { ServerHealth } from '../../notary/keys/fetch-store.js';
import { listedKeys, type KnownKey } from '../../notary/keys/key-changes.js';
import type { StepReason } from './advice.js';

const SOON_MS = HOUR_MS;
const MAX_NAMES = 5;

/** The stage that asks the whitelist. */
export function allowedStep(serverName: string, whitelist: FederationWhitelist): TraceStep {
  if (whitelist.names === null)
    return step(['allowed', 'ok'], 'federation_domain_whitelist is not set: every server is allowed.');
  const source = whitelist.sourceOf(serverName);
  if (whitelist.allows(serverName)) return step(['allowed', 'ok'], `${serverName} is allowed by ${source}.`);
  const sentence = `${serverName} is not in ${source}, so its keys are not fetched.`;
  return step(['allowed', 'failed'], sentence, { reason: 'not_whitelisted' });
}

/** The stage that tells what queries of peers would be held back by. */
export function waitingStep(health: ServerHealth | null, nowTs: number): TraceStep {
  if (health === null || health.lastFetchTs === null)
    return step(['waiting', 'ok'], 'No fetch from this server is stored.');
  const { failCount, nextTryTs } = health;
  const failures = `${counted(failCount, 'failure')}${failCount > 1 ? ' in a row' : ''}`;
  if (nextTryTs > nowTs) {
    const until = new Date(nextTryTs).toISOString();
    const sentence = `After ${failures}, queries fetch again from ${until} on; this diagnosis does not wait.`;
    const detail = { failures: failCount, next_try_ts: nextTryTs, reason: 'backing_off' } as const;
    return step(['waiting', 'warning'], sentence, detail);
  }
  const past = failCount === 0 ? 'The last fetch succeeded' : 'The last fetch failed';
  const sentence = `${failCount > 1 ? `There were ${failures}` : past}; the next query may fetch at once.`;
  return step(['waiting', 'ok'], sentence, { failures: failCount, next_try_ts: nextTryTs });
}

/** Whether the record is still valid, and for how long. */
export function validityStep({ validUntilTs }: AcceptedRecord, nowTs: number): TraceStep {
  const text = timeText(validUntilTs);
  const detail = { valid_until_ts: String(validUntilTs) };
  if (validUntilTs <= nowTs) {
    const sentence = `The record expired on ${text}.`;
    return step(['validity', 'failed'], sentence, { ...detail, reason: 'record_expired' });
  }
  if (validUntilTs < nowTs + SOON_MS) {
    const sentence = `The record is valid until ${text}, which is less than an hour.`;
    return step(['validity', 'warning'], sentence, { ...detail, reason: 'record_expires_soon' });
  }
  return step(['validity', 'ok'], `The record is valid until ${text}.`, detail);
}

/** Oddities of the keys that are no reason to refuse the record. */
export function keysStep({ verifyKeys, oldVerifyKeys, unprovenKeyIds }: AcceptedRecord): TraceStep {
  const detail = { keys: verifyKeys.size, old_keys: oldVerifyKeys.size };
  if (unprovenKeyIds.length > 0) {
    const more = unprovenKeyIds.length > MAX_NAMES ? ', …' : '';
    const sentence = `Listed, but did not sign the record: ${quoted(unprovenKeyIds)}${more}.`;
    return step(['keys', 'warning'], sentence, { ...detail, reason: 'record_unproven' });
  }
  const keys =
    verifyKeys.size === 1 ? '1 key in use, which' : `${verifyKeys.size} keys in use, each of which`;
  const old = oldVerifyKeys.size === 0 ? '' : `; ${oldVerifyKeys.size} old keys`;
  return step(['keys', 'ok'], `${keys} signed the record${old}.`, detail);
}

/** Whether the record lists the key somebody looks for. */
export function wantedStep(record: AcceptedRecord, keyId: string): TraceStep {
  const key = listedKeys(record.record).get(keyId);
  const name = quoteForDetail(keyId);
  if (key === undefined)
    return step(['wanted', 'failed'], `The record does not list ${name}.`, { reason: 'key_missing' });
  if (key.expiredTs === null) return step(['wanted', 'ok'], `${name} is in use.`);
  const since = timeText(key.expiredTs);
  return step(
    ['wanted', 'ok'],
    `${name} is an old key, not used since ${since}; it still proves what it signed before.`,
  );
}

/** How the record differs from what is stored of the server. Nothing is stored by this. */
export function storedStep(record: AcceptedRecord, stored: readonly KnownKey[]): TraceStep {
  if (stored.length === 0) return step(['stored', 'ok'], 'No key of this server is stored yet.');
  const current = listedKeys(record.record);
  const replaced = stored.filter(
    ({ keyId, publicKey }) => (current.get(keyId)?.publicKey ?? publicKey) !== publicKey,
  );
  if (replaced.length > 0) {
    const sentence = `Stored with another key under the same ID: ${quoted(replaced.map(({ keyId }) => keyId))}.`;
    return step(['stored', 'warning'], sentence, { reason: 'key_replaced' });
  }
  const known = new Set(stored.map(({ keyId }) => keyId));
  const added = [...current.keys()].filter((keyId) => !known.has(keyId)).length;
  const gone = stored.filter(({ keyId }) => !current.has(keyId)).length;
  const sentence =
    added + gone === 0
      ? 'The keys match the stored ones.'
      : `Compared with the stored keys: ${added} new, ${gone} no longer listed. A refresh stores the change.`;
  return step(['stored', 'ok'], sentence, { added, gone });
}

function step(
  [name, status]: [name: string, status: StepStatus],
  sentence: string,
  detail?: Record<string, string | number> & { reason?: StepReason },
): TraceStep {
  return { name, status, ms: 0, sentence, ...(detail === undefined ? {} : { detail }) };
}

function quoted(keyIds: readonly string[]): string {
  return keyIds.slice(0, MAX_NAMES).map(quoteForDetail).join(', ');
}
