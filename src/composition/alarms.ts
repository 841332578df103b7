import type { Config } from '../config/schema.js';
import type { SourcedConfig } from '../config/setting-view.js';
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
import { feature, USER_AGENT_NAME, type ContextParts, type Feature } from './parts.js';

/** Alarms of key changes and health, and the webhook that is sent them. */
export type AlarmServices = ReturnType<typeof createAlarms>;

const INTERVAL_MS = 30 * SECOND_MS;

/** Limits of unacknowledged alarms. Beyond its limit a domain raises events only; beyond the total, the domain with the most loses one. */
const MAX_ALARMS_PER_DOMAIN = 10;
const MAX_ALARMS = 1000;

/** Builds it; `health` is asked only while a webhook is configured. */
export function createAlarms(
  config: Config,
  parts: ContextParts,
  { health }: { health: () => Promise<readonly HealthLine[]> },
) {
  const { clock, logger, metrics } = parts;
  const notary = config.server_name;
  const webhook = new Webhook({
    clock,
    userAgent: USER_AGENT_NAME,
    onAttempt: (outcome) => metrics.deliveries.inc({ outcome }),
  });
  const run = sendingFrom(webhook, { notary, health, changes: new HealthAlarms(clock) });
  const sending = new PeriodicJob({ name: 'send_alarms', intervalMs: INTERVAL_MS, logger, run });
  const send = (): Promise<void> => sending.trigger();
  const alarms = createAlarmBounds(parts);
  const raised = (events: readonly RaisedAlarm[]): void => {
    for (const event of events) webhook.add(keyPayload(event, notary));
    void send();
  };
  const listener: KeyEventListener = { alarms, raised };
  const test = { type: 'test', notary, message: 'A test that an operator requested.' };
  return feature(
    { listener, send, testWebhook: (): Promise<Attempt | null> => webhook.test(test) },
    {
      liveSettings: liveTarget(webhook),
      healthChecks: [alarmCheck({ openAlarms: () => openAlarms(parts.database), webhook, clock })],
      limits: [{ title: 'Key alarms', bounds: alarms.bounds, settings: ALARM_LIMITS }],
      start: () => sending.start(),
      close: () => sending.stop(),
    },
  );
}

interface HealthSource {
  notary: string;
  health: () => Promise<readonly HealthLine[]>;
  changes: HealthAlarms;
}

/** Key alarms first: the health checks take a moment. */
function sendingFrom(webhook: Webhook, { notary, health, changes }: HealthSource): () => Promise<void> {
  return async () => {
    if (!webhook.state.isConfigured) return;
    await webhook.flush();
    for (const check of changes.changed(await health())) webhook.add(healthPayload(check, notary));
    await webhook.flush();
  };
}

function createAlarmBounds({ clock, logger, metrics }: ContextParts): AlarmBounds {
  return new AlarmBounds({
    clock,
    logger,
    maxPerDomain: MAX_ALARMS_PER_DOMAIN,
    maxTotal: MAX_ALARMS,
    onBound: (bound) => metrics.alarmsDropped.inc({ bound }),
  });
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

function liveTarget(webhook: Webhook): Feature['liveSettings'] {
  const replace = ({ config }: SourcedConfig): void => {
    const { url, secret, secret_path: secretPath } = config.alerts.webhook;
    webhook.target = url === null ? null : { url, secret, secretPath };
  };
  const settings = ['url', 'secret', 'secret_path'];
  return Object.fromEntries(settings.map((name) => [`alerts.webhook.${name}`, replace]));
}
