import type { Config } from '../../config/schema.js';
import { AddressPolicy } from '../../core/net/address/address-policy.js';
import { compileAddressRanges } from '../../core/net/address/address-ranges.js';
import { createGuardedAgents } from '../../core/net/http/guarded-agents.js';
import { commandCarrier } from '../../core/operators/oversight/outbox/command-carrier.js';
import {
  notaryCarrier,
  type NotaryAskingOptions,
} from '../../core/operators/oversight/outbox/notary-carrier.js';
import { OutboxSender } from '../../core/operators/oversight/outbox/outbox-sender.js';
import type { OutboxStore } from '../../core/operators/oversight/outbox/outbox-store.js';
import type { OutboxAgents } from '../../core/operators/oversight/outbox/post-json.js';
import { webhookCarrier } from '../../core/operators/oversight/outbox/webhook-carrier.js';
import type { Oversight } from '../../core/operators/oversight/oversight.js';
import { keyRecordPolicyOf } from '../key-fetch.js';
import { noteHandshake, type ContextParts, type FetchParts } from '../parts.js';

/** Commands are found where system programs are. */
const COMMAND_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

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

/** How other notaries are asked, as the configuration says. */
export function notaryAskingOf(config: Config, parts: FetchParts): NotaryAskingOptions {
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

/** How addresses of the configuration are asked. They are judged as for keys; those that the configuration says are inside our network are not. */
export function createAgents(config: Config, parts: FetchParts, ca: readonly string[] | null): OutboxAgents {
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
