import { DAY_MS, type Clock } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import { DELIVERIES_LINE } from '../../oversight/health-watch.js';
import type { OutboxStore } from '../../oversight/outbox/outbox-store.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';

const HREF = '/watches';

/** Whether what is to be told arrives at webhooks and commands. */
export function deliveryCheck(store: OutboxStore, clock: Clock): NamedCheck {
  const look = async (): Promise<Finding> => {
    const {
      waiting,
      struggling,
      failed: lost,
      done,
      doneTs,
      lastError,
    } = await store.count(clock.now() - DAY_MS);
    const last = lastError === null ? '' : ` ${lastError.destination}: ${lastError.message}`;
    if (lost > 0) {
      const message = `${counted(lost, 'notice')} of the last 24 h were given up.${last}`;
      return failed(message, 'Put the receiver right, and read the events of the servers concerned.', HREF);
    }
    if (struggling > 0) {
      const message = `${counted(struggling, 'notice')} could not be delivered yet.${last}`;
      return warning(message, 'They are tried again; the page of watches has a test.', HREF);
    }
    if (done === 0) return unproved(waiting === 0 ? 'Nothing was to be delivered lately.' : 'Waiting.', HREF);
    const message = `${counted(done, 'notice')} delivered in the last 24 h, and none lost.`;
    return { ...fine(message, HREF), provedTs: doneTs };
  };
  const how = 'looked at what was sent to webhooks and commands';
  return { key: DELIVERIES_LINE, title: 'Deliveries', how, look };
}
