import type { HealthState } from '../../gql/graphql.js';

/** Whether a line is to be acted on; what is not proved is only not known. */
export function needsAttention({ state }: { state: HealthState }): boolean {
  return state === 'WARNING' || state === 'FAILED';
}
