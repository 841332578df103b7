import { DAY_MS, type Clock } from '../../../base/clock.js';
import { counted } from '../../../base/text/strings.js';
import type { Webhook } from '../../alarms/webhook.js';
import type { OpenAlarms } from '../../keys/key-alarms.js';
import { failed, ok, warning, type Check } from '../health.js';

export interface AlarmSources {
  openAlarms: () => Promise<OpenAlarms>;
  webhook: Pick<Webhook, 'state'>;
  clock: Clock;
}

const SETTING = '/settings?q=alerts.webhook';
const ACKNOWLEDGE =
  'Ask its operator whether this was intended, then acknowledge the alarm on the page of the server.';
const TEST = 'Run "vidimus webhook test" to see how it answers.';

/** Replaced keys that nobody has acknowledged, and alarms that the webhook did not take. */
export function alarmCheck({ openAlarms, webhook, clock }: AlarmSources): Check {
  const check: Check['check'] = async () => {
    const { servers, latest } = await openAlarms();
    const { isConfigured, waiting, droppedTs, error } = webhook.state;
    const undelivered = error === null ? '' : ` ${error}`;
    if (latest !== null) {
      const others = servers === 1 ? '' : ` and of ${counted(servers - 1, 'other server')}`;
      const message = `A key of ${latest}${others} changed under the same ID.${undelivered}`;
      const page = servers === 1 ? `/keys/${encodeURIComponent(latest)}` : '/keys?look=true';
      return failed(message, ACKNOWLEDGE, page);
    }
    if (droppedTs !== null && clock.now() - droppedTs < DAY_MS)
      return failed(`An alarm was not delivered within an hour.${undelivered}`, TEST, SETTING);
    if (error !== null)
      return warning(`${counted(waiting, 'alarm')} not delivered yet.${undelivered}`, TEST, SETTING);
    const where = isConfigured ? 'Alarms go to the webhook.' : 'No webhook: alarms are only visible here.';
    return ok(`No unacknowledged alarm. ${where}`, '/keys');
  };
  return { id: 'alarms', title: 'Alarms', how: 'queried the database', check };
}
