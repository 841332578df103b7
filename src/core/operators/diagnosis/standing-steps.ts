import { counted } from '../../base/text/counted.js';
import type { FederationWhitelist } from '../../notary/federation/federation-whitelist.js';
import type { ServerHealth } from '../../notary/keys/server-health.js';
import type { TraceStep } from '../../base/trace.js';

/** The stage that asks the whitelist. */
export function allowedStep(serverName: string, whitelist: FederationWhitelist): TraceStep {
  const step = { name: 'allowed', ms: 0 };
  if (whitelist.names === null) {
    return {
      ...step,
      status: 'ok',
      sentence: 'Every server may be asked: federation_domain_whitelist is not set.',
    };
  }
  if (whitelist.allows(serverName)) {
    return {
      ...step,
      status: 'ok',
      sentence: `${serverName} is allowed by ${whitelist.sourceOf(serverName)}.`,
    };
  }
  return {
    ...step,
    status: 'failed',
    sentence: `${serverName} is not in ${whitelist.sourceOf(serverName)}, so it is not asked for its keys.`,
    detail: { reason: 'not_whitelisted' },
  };
}

/** The stage that tells what queries of peers would be held back by. */
export function waitingStep(health: ServerHealth | null, nowTs: number): TraceStep {
  const step = { name: 'waiting', ms: 0 };
  if (health === null || health.lastFetchTs === null) {
    return { ...step, status: 'ok', sentence: 'No fetch from this server is stored.' };
  }
  const detail = { failures: health.failCount, next_try_ts: health.nextTryTs };
  const failures = `${counted(health.failCount, 'failure')}${health.failCount > 1 ? ' in a row' : ''}`;
  if (health.nextTryTs > nowTs) {
    const until = new Date(health.nextTryTs).toISOString();
    return {
      ...step,
      status: 'warning',
      sentence: `After ${failures}, queries wait until ${until} before they ask again; this diagnosis does not wait.`,
      detail: { ...detail, reason: 'backing_off' },
    };
  }
  const past = health.failCount === 0 ? 'The last fetch went well' : 'The last fetch failed';
  const sentence = `${health.failCount > 1 ? `There were ${failures}` : past}; nothing holds back the next fetch.`;
  return { ...step, status: 'ok', sentence, detail };
}
