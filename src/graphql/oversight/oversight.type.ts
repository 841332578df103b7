import { Int, ObjectType } from 'type-graphql';

import {
  CHANNELS,
  OUTBOX_STATES,
  type DeliveryRow,
} from '../../core/operators/oversight/outbox/outbox-store.js';
import type { Webhook as CoreWebhook } from '../../core/operators/oversight/outbox/webhook-carrier.js';
import type { RuleView } from '../../core/operators/oversight/oversight.js';
import { RULE_KINDS } from '../../core/operators/oversight/rule-store.js';
import type { ServerOversight as CoreServerOversight } from '../../core/operators/oversight/server-oversight.js';
import { isRecord } from '../../core/base/json/is-record.js';
import { connectionOf } from '../common/connection.js';
import { toDate, withDates } from '../common/dates.js';
import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import { payloadFields } from '../common/mutation.js';
import { toNodeId } from '../nodes/node-id.js';
import { Node, nodeFields } from '../nodes/node.type.js';

export const OversightKind = wordsEnum(
  'OversightKind',
  RULE_KINDS,
  'Watches, pins, and notaries to compare with',
);
export type OversightKind = (typeof OversightKind)[keyof typeof OversightKind];
export const PinMode = wordsEnum(
  'PinMode',
  ['refuse', 'report'],
  'Whether a record that contradicts a pin is served',
);
export type PinMode = (typeof PinMode)[keyof typeof PinMode];
export const DeliveryChannel = wordsEnum('DeliveryChannel', CHANNELS);
export const DeliveryState = wordsEnum('DeliveryState', OUTBOX_STATES);
export const CrossCheckResult = wordsEnum('CrossCheckResult', ['same', 'differing', 'silent']);

@ObjectType({ description: 'A public key under its key ID' })
export class NamedKey extends objectFields({
  keyId: String,
  publicKey: field(String, { description: 'Unpadded base64' }),
}) {}

@ObjectType({ description: 'A watch, a pin, or a notary to compare with' })
export class OversightRule extends objectFields({
  kind: OversightKind,
  name: field(String, { description: 'Server name; * for a watch of all' }),
  createdBy: nullable(String, {
    description: 'Null: it stands in the configuration, and only there it is changed',
  }),
  createdAt: nullable(Date, { description: 'Null: it stands in the configuration' }),
  webhook: nullable(String, { description: 'Of a watch: the webhook that is told' }),
  program: nullable(String, { description: 'Of a watch: the program that is run, without its arguments' }),
  mode: nullable(PinMode, { description: 'Of a pin' }),
  url: nullable(String, { description: 'Of a notary: where it is asked' }),
  keys: field([NamedKey], { description: 'Of a pin: what may be listed. Of a notary: what it signs with' }),
}) {}

@ObjectType({ description: 'An address of the configuration that is told' })
export class Webhook extends objectFields({
  name: String,
  host: field(String, { description: 'Scheme, host and port; the rest of the address may be a secret' }),
  tells: field([String], { description: 'alarms, health: what it is told beside watches' }),
}) {}

@ObjectType({ description: 'What another notary last said of the keys of a server' })
export class CrossCheck extends objectFields({
  notary: String,
  result: CrossCheckResult,
  message: String,
  at: Date,
}) {}

@ObjectType({ description: 'What is watched, pinned and compared of one server' })
export class ServerOversight extends objectFields({
  watches: field([OversightRule], { description: 'Its own, and the one of all servers' }),
  pin: nullable(OversightRule),
  contradictingKeyIds: field([String], { description: 'Of the newest record: what the pin does not name' }),
  crossChecks: field([CrossCheck], { description: 'The latest of each notary, newest first' }),
  keys: field([NamedKey], { description: 'Of the newest record: what a pin of today would name' }),
}) {}

@ObjectType({ implements: Node, description: 'What is sent to a webhook or command, or asked of a notary' })
export class Delivery extends nodeFields({
  channel: DeliveryChannel,
  destination: String,
  subject: field(String, { description: 'Server name, or health: and the line of the health list' }),
  kind: field(String, { description: 'key_replaced, health_failed, cross_check, test, …' }),
  state: DeliveryState,
  attempts: Int,
  message: nullable(String, { description: 'What the last attempt came to; null before the first' }),
  createdAt: Date,
  nextTryAt: nullable(Date, { description: 'Null when nothing waits' }),
  finishedAt: nullable(Date),
}) {}

export const DeliveryConnection = connectionOf('Delivery', () => Delivery);

@ObjectType()
export class OversightRulePayload extends payloadFields({
  rule: nullable(OversightRule),
}) {}

@ObjectType()
export class TestWebhookPayload extends payloadFields({
  delivery: nullable(Delivery),
}) {}

/** A rule as the outside sees it. */
export function toOversightRule({ value, ...rule }: RuleView): OversightRule {
  const { webhook, command, mode, url, keys } = value;
  return {
    ...withDates(rule),
    webhook: textOrNull(webhook),
    program: Array.isArray(command) ? textOrNull(command[0]) : null,
    mode: mode === 'refuse' || mode === 'report' ? mode : null,
    url: textOrNull(url),
    keys: Object.entries(isRecord(keys) ? keys : {}).map(([keyId, key]) => ({
      keyId,
      publicKey: String(key),
    })),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function toWebhook({ name, url, tells }: CoreWebhook): Webhook {
  return { name, host: new URL(url).origin, tells };
}

export function toServerOversight(found: CoreServerOversight): ServerOversight {
  return {
    watches: found.watches.map(toOversightRule),
    pin: found.pin === null ? null : toOversightRule(found.pin),
    contradictingKeyIds: found.contradicting,
    crossChecks: found.verdicts.map(withDates),
    keys: found.keys,
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    ...withDates(row),
    id: toNodeId('Delivery', row.id),
    nextTryAt: row.state === 'waiting' ? toDate(Math.max(row.nextTryTs, row.createdTs)) : null,
  };
}
