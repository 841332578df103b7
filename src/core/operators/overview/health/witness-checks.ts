import { SECOND_MS } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { PublishedLog } from '../../../notary/log/published-log.js';
import type { CheckpointOffers, WitnessStanding } from '../../../notary/log/witnesses/checkpoint-offers.js';
import type { CheckpointWitness } from '../../../notary/witness/checkpoint-witness.js';
import type { WitnessedLogStore } from '../../../notary/witness/witnessed-log-store.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';

export interface WitnessesCheckSources {
  log: Pick<PublishedLog, 'size' | 'witnessed'>;
  offers: Pick<CheckpointOffers, 'standings' | 'quorum' | 'unwitnessedMs'>;
  maximumDelayMs: number;
}

const WITNESSES = '/settings?q=log.witness';
const LOGS = '/settings?q=witness.logs';

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

/** Whether a log that is cosigned here was caught lying. */
export function witnessCheck(witness: CheckpointWitness, store: WitnessedLogStore): NamedCheck {
  const look = async (): Promise<Finding> => {
    const logs = await store.list(witness.origins);
    const liars = logs.filter(({ conflictTs }) => conflictTs !== null).map(({ origin }) => origin);
    if (liars.length > 0) {
      return failed(
        `${liars.join(', ')} signed two different histories of one size.`,
        'Publish both checkpoints: table witnessed_log keeps them, columns checkpoint and conflict.',
        LOGS,
      );
    }
    const { lately } = witness.contradictions;
    if (lately.length > 0) {
      return warning(
        'A checkpoint in the last hour came without a proof that it continues what was cosigned.',
        'Anybody can send a wrong proof; if the log itself does, ask its operator. The log of the server names it.',
        LOGS,
      );
    }
    const cosigned = logs.filter(({ size }) => size > 0).length;
    if (cosigned === 0) return unproved('No checkpoint of another log has been cosigned yet.', LOGS);
    const provedTs = Math.max(...logs.map(({ cosignedTs }) => cosignedTs));
    return { ...fine(`${cosigned} of ${witness.origins.length} logs cosigned.`, LOGS), provedTs };
  };
  return { key: 'witness', title: 'Witness', how: 'compared checkpoints with those cosigned before', look };
}
