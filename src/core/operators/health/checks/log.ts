import { SECOND_MS } from '../../../base/clock.js';
import { counted } from '../../../base/text/strings.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import { failed, ok, warning, type Check } from '../health.js';

const SETTING = '/settings?q=log.enabled';
const WITNESS_SETTING = '/settings?q=log.witness';
const RESTORE =
  'Find out what changed the database. A backup older than the published log cannot be continued.';
const ASK = 'Ask the operators of the witnesses. The server log has their answers.';
const SLOW = 'The database accepts no writes, or is too slow. Search the log of the server.';

export interface LogDelays {
  maximumMergeDelayMs: number;
  maximumWitnessDelayMs: number;
  /** For how long no checkpoint has had enough cosignatures; 0 without witnesses. */
  witnessDelayMs: () => number;
}

/** Whether stored records are in the log soon enough. */
export function logCheck(
  log: Pick<PublishedLog, 'damage' | 'mergeDelayMs' | 'size'>,
  { maximumMergeDelayMs, maximumWitnessDelayMs, witnessDelayMs }: LogDelays,
): Check {
  const check: Check['check'] = async () => {
    if (log.damage !== null) return failed(`The log has been stopped: ${log.damage}.`, RESTORE);
    const witnessMs = witnessDelayMs();
    if (witnessMs > maximumWitnessDelayMs)
      return warning(`Too few cosignatures for ${secondsOf(witnessMs)}.`, ASK, WITNESS_SETTING);
    const delayMs = log.mergeDelayMs;
    if (delayMs > maximumMergeDelayMs)
      return warning(`Records wait for the log for ${secondsOf(delayMs)}.`, SLOW, SETTING);
    return ok(`The log has ${log.size} ${log.size === 1 ? 'entry' : 'entries'}.`, SETTING);
  };
  return { id: 'log', title: 'Transparency log', how: 'compared stored records with the log', check };
}

const secondsOf = (ms: number): string => counted(Math.floor(ms / SECOND_MS), 'second');
