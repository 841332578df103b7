import { SECOND_MS } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import type { Sequencer } from '../../../notary/log/sequencer.js';
import { failed, fine, warning, type Finding, type NamedCheck } from './health-check.js';

export interface LogCheckSources {
  log: PublishedLog;
  sequencer: Sequencer;
  maximumMergeDelayMs: number;
}

const SETTING = '/settings?q=log.maximum_merge_delay';

/** Whether what is served is in the log soon enough. */
export function logChecks(sources: LogCheckSources): NamedCheck[] {
  const look = async () => checkLog(sources);
  return [{ key: 'log', title: 'Log', how: 'compared what is stored with what is published', look }];
}

function checkLog({ log, sequencer, maximumMergeDelayMs }: LogCheckSources): Finding {
  if (log.damage !== null) {
    return failed(
      `The log has been stopped: ${log.damage}.`,
      'Find out what changed the database; a backup that is older than what was published cannot be gone on with.',
    );
  }
  const delayMs = log.mergeDelayMs;
  const entries = log.size === 1 ? '1 entry' : `${log.size} entries`;
  if (delayMs <= maximumMergeDelayMs) {
    const more = sequencer.isCatchingUp ? ', and records stored before it are being entered' : '';
    return fine(`The log has ${entries}${more}.`, SETTING);
  }
  return warning(
    `What is served has not been entered into the log for ${counted(Math.floor(delayMs / SECOND_MS), 'second')}.`,
    'The database takes no writes, or none fast enough; the log of the server says which.',
    SETTING,
  );
}
