import { HOUR_MS, SECOND_MS } from '../core/base/clock.js';
import { TokenBuckets } from '../core/base/limits/rate-limit.js';
import { ReachedBounds } from '../core/base/limits/reached-bounds.js';
import type { KeyEventListener, RaisedAlarm } from '../core/notary/keys/key-changes.js';
import { domainOf } from '../core/notary/federation/server-name.js';
import { HealthAlarms, Webhook, type Attempt } from '../core/operators/alarms/webhook.js';
import { eventSentence } from '../core/operators/keys/key-events.js';
import { alarmCheck } from '../core/operators/health/checks/state.js';
import type { HealthLine } from '../core/operators/health/health.js';
import { ALARM_LIMITS } from '../core/operators/health/limit-settings.js';
import { openAlarms } from '../core/operators/keys/key-alarms.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { feature } from './features.js';
import { USER_AGENT_NAME, type ContextParts } from './parts.js';

export type AlarmServices = ReturnType<typeof createAlarms>;

const INTERVAL_MS = 30 * SECOND_MS;

/** The operator of a server can change its keys at will: beyond its limit a registrable domain causes events only. */
const ALARMS_OF_DOMAIN = { burst: 10, intervalMs: HOUR_MS };

export function createAlarms(parts: ContextParts, health: () => Promise<readonly HealthLine[]>) {
  const { config, clock, logger, metrics, database } = parts;
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
  const { bounds, admits } = limitDomains(parts);
  const raised = (events: readonly RaisedAlarm[]): void => {
    for (const event of events) webhook.add(keyPayload(event, notary));
    void send();
  };
  const listener: KeyEventListener = { admits, raised };
  const test = { type: 'test', notary, message: 'A test that an operator requested.' };
  return feature(
    { listener, send, testWebhook: (): Promise<Attempt | null> => webhook.test(test) },
    {
      apply: ({ config: { alerts } }) => {
        const { url, secret, secret_path: secretPath } = alerts.webhook;
        webhook.target = url === null ? null : { url, secret, secretPath };
      },
      healthChecks: [alarmCheck({ openAlarms: () => openAlarms(database), webhook, clock })],
      limits: [{ title: 'Key alarms', bounds, settings: ALARM_LIMITS }],
      start: () => sending.start(),
      close: () => sending.stop(),
    },
  );
}

function limitDomains({ clock, logger, metrics }: ContextParts) {
  const bounds = new ReachedBounds<'domain'>({
    clock,
    log: (line) => logger.warn(line, 'key alarms are dropped: their domain has reached its limit'),
    count: (bound) => metrics.alarmsDropped.inc({ bound }),
  });
  const domains = new TokenBuckets(ALARMS_OF_DOMAIN, () => clock.now());
  const admits = (serverName: string): boolean => {
    const domain = domainOf(serverName);
    const isAdmitted = domains.left(domain) >= 1;
    if (isAdmitted) domains.spend(domain);
    else bounds.note('domain', { domain });
    return isAdmitted;
  };
  return { bounds, admits };
}

function keyPayload({ serverName: server_name, ts, event }: RaisedAlarm, notary: string): object {
  const { kind, severity, keyId: key_id, detail } = event;
  const about = { type: 'key_event', notary, server_name, kind, severity, key_id };
  return { ...about, message: eventSentence(event), detail, happened_ts: ts };
}

function healthPayload({ id, title, message, advice, state }: HealthLine, notary: string): object {
  const payload = { type: 'health', notary, line: id, title };
  if (state === 'failed') return { ...payload, state, message, advice };
  return { ...payload, state: 'recovered', message: `${title} works again.`, advice: null };
}
