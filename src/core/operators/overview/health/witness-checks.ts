import { SECOND_MS } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import type { CheckpointOffers, WitnessStanding } from '../../../notary/log/witnesses/checkpoint-offers.js';
import { fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';

export interface WitnessesCheckSources {
  log: Pick<PublishedLog, 'size' | 'witnessed'>;
  offers: Pick<CheckpointOffers, 'standings' | 'quorum' | 'unwitnessedMs'>;
  maximumDelayMs: number;
}

const WITNESSES = '/settings?q=log.witness';

/** Whether enough witnesses cosign the log. */
export function witnessesCheck(sources: WitnessesCheckSources): NamedCheck {
  const look = async () => checkWitnesses(sources);
  return {
    key: 'log_witnesses',
    title: 'Witnesses of the log',
    how: 'offered each checkpoint to them',
    look,
  };
}

function checkWitnesses({ log, offers, maximumDelayMs }: WitnessesCheckSources): Finding {
  const { standings, quorum, unwitnessedMs } = offers;
  const cosignedTs = Math.max(0, ...standings.map((standing) => standing.cosignedTs ?? 0));
  const provedTs = cosignedTs === 0 ? null : cosignedTs;
  if (log.size === 0)
    return unproved('The log has no entry yet that witnesses could be asked about.', WITNESSES);
  const failing = standings.filter(({ failures }) => failures > 0).map(failureOf);
  const words = failing.length === 0 ? '' : ` ${failing.join(' ')}`;
  const covered = `${counted(quorum, 'cosignature')} of ${standings.length} wanted`;
  const size = log.witnessed?.size ?? 0;
  if (unwitnessedMs > maximumDelayMs) {
    const delay = counted(Math.floor(unwitnessedMs / SECOND_MS), 'second');
    const message = `No checkpoint has had enough cosignatures for ${delay}: ${covered}, ${size} of ${log.size} entries witnessed.${words}`;
    const advice = 'Ask the operators of the witnesses; the log of the server says what each answered.';
    return { ...warning(message, advice, WITNESSES), provedTs };
  }
  if (size === 0) return unproved(`No checkpoint has had enough cosignatures yet.${words}`, WITNESSES);
  return { ...fine(`${size} of ${log.size} entries witnessed, ${covered}.${words}`, WITNESSES), provedTs };
}

function failureOf({ witness, error }: WitnessStanding): string {
  return `${witness.key.name}: ${error ?? 'no answer'}.`;
}
