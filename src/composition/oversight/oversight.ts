import { z } from 'zod';

import type { Config } from '../../config/schema.js';
import type { SourcedConfig } from '../../config/setting-view.js';
import { SECOND_MS } from '../../core/base/clock.js';
import type { JobServices } from '../../core/job-runner/job-services.js';
import { AlarmBounds } from '../../core/notary/keys/saving/alarm-bounds.js';
import { Pins } from '../../core/notary/oversight/pins.js';
import type { OversightAdmin } from '../../core/operators/operator-services.js';
import { createDeliveryList } from '../../core/operators/oversight/delivery-list.js';
import { findServerOversight } from '../../core/operators/oversight/server-oversight.js';
import { alarmCheck } from '../../core/operators/overview/health/bound-checks.js';
import { deliveryCheck } from '../../core/operators/overview/health/delivery-check.js';
import type { Overview } from '../../core/operators/overview/overview.js';
import { HealthWatch } from '../../core/operators/oversight/health-watch.js';
import { OutboxStore } from '../../core/operators/oversight/outbox/outbox-store.js';
import { Oversight, type ConfiguredRules } from '../../core/operators/oversight/oversight.js';
import { RuleStore } from '../../core/operators/oversight/rule-store.js';
import type { ScheduledJob } from '../../jobs/scheduled-job.js';
import { pruneOutboxJob } from '../../jobs/prune-outbox.js';
import { feature, type ContextParts, type Feature } from '../parts.js';
import { lookingAgain, storeJob } from '../instances/store-job.js';
import type { Instances } from '../instances/instances.js';
import { diagnosingWith } from './diagnosing.js';
import { createSender, notaryAskingOf } from './sending.js';

/** Watches, pins and cross-checks, and what is sent for them, alive while the store is open. */
export type OversightServices = Awaited<ReturnType<typeof createOversight>>;

const SEND_INTERVAL_MS = SECOND_MS;
const RULES = 'rules';
const LOOK_INTERVAL_MS = 30 * SECOND_MS;

/** Builds it over an open and migrated store. */
export async function createOversight(
  config: Config,
  parts: ContextParts,
  { runner, pauses, instances }: Pick<JobServices, 'runner' | 'pauses'> & { instances: Instances },
) {
  const { database, clock, logger, metrics } = parts;
  const pins = new Pins();
  const oversight = await openOversight(config, parts, { pins, messages: instances.messages });
  const outbox = new OutboxStore(database);
  const asking = notaryAskingOf(config, parts);
  const sender = createSender(config, parts, { oversight, outbox, asking });
  const sending = storeJob('send_outbox', SEND_INTERVAL_MS, { logger, run: () => sender.run() });
  const looking = lookingAgain('refresh_rules', parts, () => oversight.refresh());
  const send = (): Promise<void> => sending.trigger();
  metrics.observeOutbox(async () => (await outbox.count(clock.now())).waiting);
  return feature(
    {
      oversight,
      pins,
      outbox,
      asking,
      send,
      admin: createAdmin(parts, { oversight, outbox, send }),
      diagnosing: diagnosingWith(pins, () => oversight.notaries, asking),
    },
    {
      jobs: [pruneJob(config, parts, { runner, pauses, outbox })],
      liveSettings: liveRules(oversight),
      healthChecks: [alarmCheck(oversight.listener.alarms), deliveryCheck(outbox, clock)],
      start: () => {
        sending.start();
        looking.start();
      },
      close: async () => {
        sender.stop();
        await Promise.all([sending.stop(), looking.close()]);
      },
    },
  );
}

function createAlarmBounds(
  { alerts }: Config,
  { database, clock, logger, metrics }: ContextParts,
): AlarmBounds {
  return new AlarmBounds({
    engine: database.engine,
    clock,
    logger,
    maxPerDomain: alerts.max_alarms_per_domain,
    maxTotal: alerts.max_alarms,
    onBound: (bound) => metrics.alarmsDropped.inc({ bound }),
  });
}

async function openOversight(
  config: Config,
  parts: ContextParts,
  { pins, messages }: { pins: Pins } & Pick<Instances, 'messages'>,
): Promise<Oversight> {
  const oversight = new Oversight({
    store: new RuleStore(parts.database),
    pins,
    alarms: createAlarmBounds(config, parts),
    clock: parts.clock,
    serverName: config.server_name,
    onChanged: () => messages.send(RULES, {}),
  });
  const refresh = () => oversight.refresh();
  messages.on(RULES, { schema: z.object({}), receive: refresh, lost: refresh });
  await oversight.refresh();
  return oversight;
}

function pruneJob(
  { alerts }: Config,
  { clock, logger }: ContextParts,
  { outbox: store, ...jobs }: Pick<JobServices, 'runner' | 'pauses'> & { outbox: OutboxStore },
): ScheduledJob {
  const { max_waiting: maxRows, retention: retentionMs } = alerts;
  return pruneOutboxJob({ store, ...jobs, clock, logger, retentionMs, maxRows });
}

interface Sending {
  oversight: Oversight;
  outbox: OutboxStore;
  send: () => Promise<void>;
}

function createAdmin(
  { database, clock }: ContextParts,
  { oversight, outbox, send }: Sending,
): OversightAdmin {
  return {
    rules: oversight,
    deliveries: createDeliveryList(database, outbox),
    ofServer: (serverName) => findServerOversight(database, oversight, serverName),
    test: async (name) => {
      if (oversight.findWebhook(name) === null) return null;
      const id = await outbox.add(oversight.testDraft(name, clock.now()));
      // The run under way may have begun without it.
      await send();
      await send();
      return (await outbox.findRows([id]))[0] ?? null;
    },
  };
}

function liveRules(oversight: Oversight): Feature['liveSettings'] {
  const replace = ({ config }: SourcedConfig): void => oversight.replace(configuredRules(config));
  return { watch: replace, pins: replace, cross_check: replace, 'alerts.webhooks': replace };
}

function configuredRules({ watch, pins, cross_check, alerts }: Config): ConfiguredRules {
  return { watch, pin: pins, notary: cross_check, webhooks: alerts.webhooks };
}

/** Builds what tells of the health list, once there is one. */
export function createHealthWatch(
  config: Config,
  { database, clock, logger }: ContextParts,
  { overview, jobs, oversight }: { overview: Overview; jobs: JobServices; oversight: Oversight },
): Feature {
  const watch = new HealthWatch({
    database,
    clock,
    instance: jobs.instance,
    serverName: config.server_name,
    webhooks: () => oversight.webhooks,
    health: async () => (await overview.health()).checks,
  });
  const job = storeJob('tell_health', LOOK_INTERVAL_MS, { logger, run: () => watch.look() });
  return feature(
    {},
    {
      liveSettings: {
        'alerts.quiet_time': ({ config: { alerts } }) => {
          watch.quietTimeMs = alerts.quiet_time;
        },
      },
      start: () => job.start(),
      close: () => job.stop(),
    },
  );
}
