import type { Config } from '../../config/schema.js';
import type { SourcedConfig } from '../../config/setting-view.js';
import { SECOND_MS } from '../../core/base/clock.js';
import type { JobServices } from '../../core/job-runner/job-services.js';
import { AddressPolicy } from '../../core/net/address/address-policy.js';
import { compileAddressRanges } from '../../core/net/address/address-ranges.js';
import { createGuardedAgents } from '../../core/net/http/guarded-agents.js';
import { Pins } from '../../core/notary/oversight/pins.js';
import { deliveryCheck } from '../../core/operators/overview/health/delivery-check.js';
import type { Overview } from '../../core/operators/overview/overview.js';
import { HealthWatch } from '../../core/operators/oversight/health-watch.js';
import { commandCarrier } from '../../core/operators/oversight/outbox/command-carrier.js';
import {
  notaryCarrier,
  type NotaryAskingOptions,
} from '../../core/operators/oversight/outbox/notary-carrier.js';
import { OutboxSender } from '../../core/operators/oversight/outbox/outbox-sender.js';
import { OutboxStore, type DeliveryRow } from '../../core/operators/oversight/outbox/outbox-store.js';
import type { OutboxAgents } from '../../core/operators/oversight/outbox/post-json.js';
import { webhookCarrier } from '../../core/operators/oversight/outbox/webhook-carrier.js';
import { Oversight, type ConfiguredRules } from '../../core/operators/oversight/oversight.js';
import { RuleStore } from '../../core/operators/oversight/rule-store.js';
import { isStoreError } from '../../core/store/store-errors.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { pruneOutboxJob } from '../../jobs/prune-outbox.js';
import { keyRecordPolicyOf } from '../key-fetch.js';
import { feature, noteHandshake, type ContextParts, type Feature } from '../parts.js';

/** Watches, pins and cross-checks, and what is sent for them, alive while the store is open. */
export type OversightServices = Awaited<ReturnType<typeof createOversight>>;

const SEND_INTERVAL_MS = SECOND_MS;
/** Other instances' operators add rules, too. */
const REFRESH_INTERVAL_MS = 5 * SECOND_MS;
const LOOK_INTERVAL_MS = 30 * SECOND_MS;
/** Commands are found where system programs are. */
const COMMAND_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Builds it over an open and migrated store. */
export async function createOversight(config: Config, parts: ContextParts, { runner, pauses }: JobServices) {
  const { database, clock, logger, metrics } = parts;
  const pins = new Pins();
  const store = new RuleStore(database);
  const oversight = new Oversight({ store, pins, clock, serverName: config.server_name });
  await oversight.refresh();
  const outbox = new OutboxStore(database);
  const asking = notaryAskingOf(config, parts);
  const sender = createSender(config, parts, { oversight, outbox, asking });
  const sending = storeJob('send_outbox', SEND_INTERVAL_MS, { logger, run: () => sender.run() });
  const refreshing = storeJob('refresh_rules', REFRESH_INTERVAL_MS, {
    logger,
    run: () => oversight.refresh(),
  });
  const { max_waiting: maxRows, retention: retentionMs } = config.alerts;
  const pruned = { store: outbox, runner, pauses, clock, logger, retentionMs, maxRows };
  metrics.observeOutbox(async () => (await outbox.count(clock.now())).waiting);
  return feature(
    {
      oversight,
      pins,
      outbox,
      asking,
      send: () => sending.trigger(),
      /** Sends something to a webhook now, and tells how it went; `null`: there is none of that name. */
      test: (name: string) => testWebhook(name, { oversight, outbox, clock, send: () => sending.trigger() }),
    },
    {
      jobs: [pruneOutboxJob(pruned)],
      liveSettings: liveRules(oversight),
      healthChecks: [deliveryCheck(outbox, clock)],
      start: () => {
        sending.start();
        if (database.engine === 'postgresql') refreshing.start();
      },
      close: async () => {
        sender.stop();
        await Promise.all([sending.stop(), refreshing.stop()]);
      },
    },
  );
}

async function testWebhook(
  name: string,
  { oversight, outbox, clock, send }: Pick<ContextParts, 'clock'> & Testing,
): Promise<DeliveryRow | null> {
  if (oversight.findWebhook(name) === null) return null;
  const id = await outbox.add(oversight.testDraft(name, clock.now()));
  // The run under way may have begun without it.
  await send();
  await send();
  return (await outbox.findRows([id]))[0] ?? null;
}

interface Testing {
  oversight: Oversight;
  outbox: OutboxStore;
  send: () => Promise<void>;
}

function liveRules(oversight: Oversight): Feature['liveSettings'] {
  const replace = ({ config }: SourcedConfig): void => oversight.replace(configuredRules(config));
  return { watch: replace, pins: replace, cross_check: replace, 'alerts.webhooks': replace };
}

function configuredRules({ watch, pins, cross_check, alerts }: Config): ConfiguredRules {
  return { watch, pin: pins, notary: cross_check, webhooks: alerts.webhooks };
}

/** Builds what sends; `oversight` says to whom. */
export function createSender(
  config: Config,
  parts: ContextParts,
  { oversight, outbox, asking }: { oversight: Oversight; outbox: OutboxStore; asking: NotaryAskingOptions },
): OutboxSender {
  const { database, clock, logger, metrics } = parts;
  const { alerts } = config;
  const common = { clock, timeoutMs: alerts.timeout, giveUpAfterMs: alerts.give_up_after };
  return new OutboxSender({
    store: outbox,
    database,
    clock,
    logger,
    carriers: {
      webhook: webhookCarrier({
        ...common,
        find: (name) => oversight.findWebhook(name),
        agents: createAgents(config, parts, null),
        userAgent: config.federation.user_agent,
      }),
      command: commandCarrier({ ...common, find: (name) => oversight.findCommand(name), path: COMMAND_PATH }),
      notary: notaryCarrier({
        ...asking,
        find: (name) => oversight.findNotary(name),
        listener: oversight.listener,
        database,
        clock,
        giveUpAfterMs: alerts.cross_check_patience,
      }),
    },
    maxConcurrent: alerts.max_concurrent,
    timeoutMs: alerts.timeout,
    firstRetryMs: alerts.first_retry,
    longestRetryMs: alerts.longest_retry,
    maxWaiting: alerts.max_waiting,
    onAttempt: (channel, outcome) => metrics.deliveries.inc({ channel, outcome }),
  });
}

function notaryAskingOf(config: Config, parts: ContextParts): NotaryAskingOptions {
  const { federation, alerts, keys } = config;
  return {
    agents: createAgents(config, parts, parts.ca),
    policy: keyRecordPolicyOf(config),
    queryPath: `${parts.dialect.pathPrefix}/key/v2/query`,
    userAgent: federation.user_agent,
    timeoutMs: alerts.timeout,
    maxAnswerBytes: keys.max_answer_size,
  };
}

/** Addresses are judged as for keys; those that the configuration says are inside our network are not. */
function createAgents(config: Config, parts: ContextParts, ca: readonly string[] | null): OutboxAgents {
  const options = {
    resolver: parts.resolver,
    ca,
    minTlsVersion: 'TLSv1.2' as const,
    maxHandshakeBytes: config.max_tls_handshake_size,
    onLargeHandshake: noteHandshake(parts),
    connectTimeoutMs: config.federation.connect_timeout,
  };
  const nowhere = compileAddressRanges([]);
  const open = new AddressPolicy({ blacklist: nowhere, whitelist: nowhere });
  return {
    guarded: createGuardedAgents({ ...options, policy: parts.policy }),
    private: createGuardedAgents({ ...options, policy: open }),
  };
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

/** A job that is due so often that of a store that is away one line is enough. */
function storeJob(
  name: string,
  intervalMs: number,
  { logger, run }: Pick<ContextParts, 'logger'> & { run: () => Promise<void> },
): PeriodicJob {
  let isAway = false;
  return new PeriodicJob({
    name,
    intervalMs,
    logger,
    run: async () => {
      try {
        await run();
        isAway = false;
      } catch (error) {
        if (!isStoreError(error)) throw error;
        logger[isAway ? 'debug' : 'warn']({ err: error, job: name }, 'deliveries wait for the database');
        isAway = true;
      }
    },
  });
}
