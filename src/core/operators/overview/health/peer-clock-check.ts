import { SECOND_MS } from '../../../base/clock.js';
import type { PeerDates } from '../../../notary/federation/peer-dates.js';
import { fine, unproved, warning, type NamedCheck } from './health-check.js';

/** `Date` counts whole seconds, and answers take their time. */
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

/** Our clock beside those of the servers whose keys are fetched. */
export function peerClockCheck(dates: Pick<PeerDates, 'lately'>): NamedCheck {
  const look: NamedCheck['look'] = async () => {
    const { lately } = dates;
    if (lately === null) return unproved('Fewer than three servers have answered in the last hour.');
    const { servers, differenceMs, latestTs: provedTs } = lately;
    if (Math.abs(differenceMs) <= MAX_DIFFERENCE_MS)
      return { ...fine(`It agrees with ${servers} other servers.`), provedTs };
    const seconds = Math.round(Math.abs(differenceMs) / SECOND_MS);
    const found = warning(
      `It is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} most of ${servers} other servers.`,
      'Run a time service such as chrony; keys expire by this clock.',
    );
    return { ...found, provedTs };
  };
  const how = 'read Date of answers to key fetches';
  return { key: 'peer_clocks', title: 'Clock of others', how, isOfProcess: true, look };
}
