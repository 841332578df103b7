import { SECOND_MS } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import { failed, ok, warning, type Check } from '../health.js';

const SETTING = '/settings?q=log.enabled';

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
    if (log.damage !== null)
      return failed(
        `The log has been stopped: ${log.damage}.`,
        'Find out what changed the database. Do not continue with a backup older than the published log.',
      );
    const delayMs = log.mergeDelayMs;
    const unwitnessedMs = witnessDelayMs();
    if (unwitnessedMs > maximumWitnessDelayMs)
      return warning(
        `Too few cosignatures for ${counted(Math.floor(unwitnessedMs / SECOND_MS), 'second')}.`,
        'Ask the operators of the witnesses. The log of the server has their answers.',
        '/settings?q=log.witness',
      );
    if (delayMs <= maximumMergeDelayMs)
      return ok(`The log has ${log.size} ${log.size === 1 ? 'entry' : 'entries'}.`, SETTING);
    return warning(
      `Records wait for the log for ${counted(Math.floor(delayMs / SECOND_MS), 'second')}.`,
      'The database accepts no writes, or is too slow. Search the log of the server.',
      SETTING,
    );
  };
  return { id: 'log', title: 'Transparency log', how: 'compared stored records with the log', check };
}
