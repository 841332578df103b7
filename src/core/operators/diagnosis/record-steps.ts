import { HOUR_MS } from '../../base/clock.js';
import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import type { AcceptedRecord } from '../../notary/key-record/key-record.js';
import { listedKeys, type KnownKey } from '../../notary/keys/key-changes.js';
import type { TraceStep } from '../../base/trace.js';

const SOON_MS = HOUR_MS;
const LAST_DATE_TS = 8.64e15;

/** Whether the record is still valid, and for how long. */
export function validityStep({ validUntilTs }: AcceptedRecord, nowTs: number): TraceStep {
  const step = { name: 'validity', ms: 0 };
  const text = dateText(validUntilTs);
  const detail = { valid_until_ts: String(validUntilTs) };
  if (validUntilTs <= nowTs) {
    const sentence = `The record was valid until ${text} and is no longer.`;
    return { ...step, status: 'failed', sentence, detail: { ...detail, reason: 'record_expired' } };
  }
  if (validUntilTs < nowTs + SOON_MS) {
    const sentence = `The record is valid until ${text}, which is less than an hour.`;
    return { ...step, status: 'warning', sentence, detail: { ...detail, reason: 'record_expires_soon' } };
  }
  return { ...step, status: 'ok', sentence: `The record is valid until ${text}.`, detail };
}

/** Oddities of the keys that are no reason to refuse the record. */
export function keysStep({ verifyKeys, oldVerifyKeys, unprovenKeyIds, notes }: AcceptedRecord): TraceStep {
  const step = { name: 'keys', ms: 0 };
  const detail = { keys: verifyKeys.size, old_keys: oldVerifyKeys.size };
  if (unprovenKeyIds.length > 0) {
    const listed = unprovenKeyIds.slice(0, 5).map(quoteForDetail).join(', ');
    const sentence = `Listed, but did not sign the record: ${listed}${unprovenKeyIds.length > 5 ? ', …' : ''}.`;
    return { ...step, status: 'warning', sentence, detail: { ...detail, reason: 'record_unproven' } };
  }
  if (notes.length > 0) {
    const sentence = `Among the old keys: ${notes.slice(0, 5).join(', ')}.`;
    return { ...step, status: 'warning', sentence, detail: { ...detail, reason: 'record_odd_old_key' } };
  }
  const keys =
    verifyKeys.size === 1 ? '1 key in use, which' : `${verifyKeys.size} keys in use, each of which`;
  const old = oldVerifyKeys.size === 0 ? '' : `; ${oldVerifyKeys.size} of earlier times`;
  return { ...step, status: 'ok', sentence: `${keys} signed the record${old}.`, detail };
}

/** Whether the record lists the key somebody looks for. */
export function wantedStep(record: AcceptedRecord, keyId: string): TraceStep {
  const step = { name: 'wanted', ms: 0 };
  const key = listedKeys(record.record).get(keyId);
  const name = quoteForDetail(keyId);
  if (key === undefined) {
    const sentence = `The record does not list ${name}.`;
    return { ...step, status: 'failed', sentence, detail: { reason: 'key_missing' } };
  }
  const sentence =
    key.expiredTs === null
      ? `${name} is in use.`
      : `${name} is an old key, not used since ${dateText(key.expiredTs)}; it still proves what it signed before.`;
  return { ...step, status: 'ok', sentence };
}

/** How the record differs from what is stored of the server. Nothing is stored by this. */
export function storedStep(record: AcceptedRecord, stored: readonly KnownKey[]): TraceStep {
  const step = { name: 'stored', ms: 0 };
  if (stored.length === 0) return { ...step, status: 'ok', sentence: 'No key of this server is stored yet.' };
  const current = listedKeys(record.record);
  const replaced = stored.filter(
    ({ keyId, publicKey }) => (current.get(keyId)?.publicKey ?? publicKey) !== publicKey,
  );
  if (replaced.length > 0) {
    const names = replaced
      .slice(0, 5)
      .map(({ keyId }) => quoteForDetail(keyId))
      .join(', ');
    const sentence = `Stored with another key under the same ID: ${names}.`;
    return { ...step, status: 'warning', sentence, detail: { reason: 'key_replaced' } };
  }
  const known = new Set(stored.map(({ keyId }) => keyId));
  const added = [...current.keys()].filter((keyId) => !known.has(keyId)).length;
  const gone = stored.filter(({ keyId }) => !current.has(keyId)).length;
  const sentence =
    added + gone === 0
      ? 'The keys are those that are stored.'
      : `Beside what is stored: ${added} new, ${gone} no longer listed. A refresh would store that.`;
  return { ...step, status: 'ok', sentence, detail: { added, gone } };
}

function dateText(ts: number | bigint): string {
  return ts > LAST_DATE_TS ? String(ts) : new Date(Number(ts)).toISOString();
}
