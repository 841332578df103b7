import type { Config } from '../config/schema.js';
import { SECOND_MS } from '../core/base/clock.js';
import type { KeyEventListener, RaisedAlarm } from '../core/notary/keys/key-changes.js';
import { AlarmBounds } from '../core/notary/keys/saving/alarm-bounds.js';
import { HealthAlarms } from '../core/operators/alarms/health-alarms.js';
import { Webhook, type Attempt } from '../core/operators/alarms/webhook.js';
import { eventSentence } from '../core/operators/keys/event-sentences.js';
import { alarmCheck } from '../core/operators/health/checks/alarms.js';
import type { HealthLine } from '../core/operators/health/health-check.js';
import { ALARM_LIMITS } from '../core/operators/health/limit-settings.js';
import { openAlarms } from '../core/operators/keys/key-alarms.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { feature } from './features.js';
import { USER_AGENT_NAME, type ContextParts } from './parts.js';

/** Alarms of key changes and health, and the webhook that is sent them. */
export type AlarmServices = ReturnType<typeof createAlarms>;

const INTERVAL_MS = 30 * SECOND_MS;

/** Limits of unacknowledged alarms. Beyond its limit a domain raises events only; beyond the total, the domain with the most loses one. */
const UNACKNOWLEDGED = { maxPerDomain: 10, maxTotal: 1000 };

/** Builds it; `health` is asked only while a webhook is configured. */
export function createAlarms(
  config: Config,
  { clock, logger, metrics, database }: ContextParts,
  { health }: { health: () => Promise<readonly HealthLine[]> },
) {
  const notary = config.server_name;
  const onAttempt = (outcome: 'delivered' | 'failed' | 'dropped') => metrics.deliveries.inc({ outcome });
  const webhook = new Webhook({ clock, userAgent: USER_AGENT_NAME, onAttempt });
  const changes = new HealthAlarms(clock);
  // Key alarms first: the health checks take a moment.
  const run = async (): Promise<void> => {
    if (!webhook.state.isConfigured) return;
    await webhook.flush();
    for (const check of changes.changed(await health())) webhook.add(healthPayload(check, notary));
    await webhook.flush();
  };
  const sending = new PeriodicJob({ name: 'send_alarms', intervalMs: INTERVAL_MS, logger, run });
  const send = (): Promise<void> => sending.trigger();
  const onBound = (bound: 'domain' | 'total') => metrics.alarmsDropped.inc({ bound });
  const alarms = new AlarmBounds({ clock, logger, ...UNACKNOWLEDGED, onBound });
  const raised = (events: readonly RaisedAlarm[]): void => {
    for (const event of events) webhook.add(keyPayload(event, notary));
    void send();
  };
  const listener: KeyEventListener = { alarms, raised };
  const test = { type: 'test', notary, message: 'A test that an operator requested.' };
  return feature(
    { listener, send, testWebhook: (): Promise<Attempt | null> => webhook.test(test) },
    {
      apply: ({ config: { alerts } }) => {
        const { url, secret, secret_path: secretPath } = alerts.webhook;
        webhook.target = url === null ? null : { url, secret, secretPath };
      },
      healthChecks: [alarmCheck({ openAlarms: () => openAlarms(database), webhook, clock })],
      limits: [{ title: 'Key alarms', bounds: alarms.bounds, settings: ALARM_LIMITS }],
      start: () => sending.start(),
      close: () => sending.stop(),
    },
  );
}

function keyPayload({ serverName, ts, event }: RaisedAlarm, notary: string): object {
  const { kind, severity, keyId: key_id, detail } = event;
  const message = eventSentence(event);
  return {
    type: 'key_event',
    notary,
    server_name: serverName,
    kind,
    severity,
    key_id,
    message,
    detail,
    happened_ts: ts,
  };
}

function healthPayload({ id, title, message, advice, state }: HealthLine, notary: string): object {
  const payload = { type: 'health', notary, line: id, title };
  if (state === 'failed') return { ...payload, state, message, advice };
  return { ...payload, state: 'recovered', message: `${title} works again.`, advice: null };
}
