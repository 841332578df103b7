import { DAY_MS, type Clock } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { Webhook } from '../../alarms/webhook.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';

const SETTING = '/settings?q=alerts.webhook';
const TEST = 'Run "vidimus webhook test" to see how it answers.';

/** Whether alarms reach the webhook. */
export function webhookCheck(webhook: Pick<Webhook, 'state'>, clock: Clock): NamedCheck {
  const look = async (): Promise<Finding> => {
    const { isConfigured, waiting, deliveredTs, droppedTs, error } = webhook.state;
    if (!isConfigured) return unproved('No webhook: alarms are only visible here.', SETTING);
    if (droppedTs !== null && clock.now() - droppedTs < DAY_MS)
      return failed(`Alarms could not be delivered within an hour. ${error ?? ''}`.trim(), TEST, SETTING);
    if (error !== null)
      return warning(`${counted(waiting, 'alarm')} not delivered yet. ${error}`, TEST, SETTING);
    if (deliveredTs === null) return unproved('Nothing has been sent since the start.', SETTING);
    return { ...fine('The last alarm was delivered.', SETTING), provedTs: deliveredTs };
  };
  return { key: 'webhook', title: 'Webhook', how: 'delivered an alarm', look };
}
