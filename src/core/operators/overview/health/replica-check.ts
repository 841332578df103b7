import { SECOND_MS } from '../../../base/clock.js';
import type { ReplicaState } from '../../../store/replica.js';
import { fine, warning, type Finding, type NamedCheck } from './health-check.js';

/** Whether lists are read from the replica, and if not, why. */
export function replicaCheck(state: () => ReplicaState, maxBehindMs: number): NamedCheck {
  const look = async (): Promise<Finding> => findingOn(state(), maxBehindMs);
  return { key: 'replica', title: 'Replica of the database', how: 'compared with the primary', look };
}

function findingOn({ behindMs, reason }: ReplicaState, maxBehindMs: number): Finding {
  const lag = behindMs === null ? null : `${(behindMs / SECOND_MS).toFixed(1)} s`;
  if (reason === null) return fine(`Lists are read from it; it is at most ${lag} behind.`);
  const link = '/settings?q=database.replica';
  if (reason === 'no_replica') {
    return warning(
      'The server of database.replica_url follows no other: nothing is read from it.',
      'Give the address of a streaming replica of database.url.',
      link,
    );
  }
  if (reason === 'away') {
    return warning(
      'It cannot be asked; lists are read from the primary.',
      'Look whether the replica runs and lets this machine in.',
      link,
    );
  }
  return warning(
    lag === null
      ? 'It has not been seen to follow the primary yet; lists are read from there.'
      : `It is ${lag} behind, beyond ${maxBehindMs / SECOND_MS} s; lists are read from the primary.`,
    'Look why it does not follow: a broken connection, a long query on it, or too slow a disk.',
    link,
  );
}
