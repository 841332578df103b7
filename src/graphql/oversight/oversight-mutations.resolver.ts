import { Resolver } from 'type-graphql';

import type { RuleKind } from '../../core/operators/oversight/rule-store.js';
import {
  InputMutation,
  payloadOf,
  userError,
  type UserError,
  type MutationInput,
} from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import { viewerOf, type GraphqlContext } from '../context.js';
import {
  RemoveOversightInput,
  SetNotaryInput,
  SetPinInput,
  SetWatchInput,
  TestWebhookInput,
  type NamedKeyInput,
} from './oversight.input.js';
import { OversightRulePayload, TestWebhookPayload, toDelivery, toOversightRule } from './oversight.type.js';

/** What operators change of watches, pins and notaries. */
@Resolver()
export class OversightMutations {
  @Requires('operator')
  @InputMutation(SetWatchInput, OversightRulePayload, 'Tells a webhook of the key events of a server')
  async setWatch(input: SetWatchInput, context: GraphqlContext): Promise<OversightRulePayload> {
    if (context.services.oversight.rules.findWebhook(input.webhook) === null) {
      about(context, { kind: 'watch', serverName: input.serverName, verb: 'Set' });
      return payloadOf(input, [noWebhook('webhook')]);
    }
    return set('watch', { server_name: input.serverName, webhook: input.webhook }, { input, context });
  }

  @Requires('operator')
  @InputMutation(RemoveOversightInput, OversightRulePayload)
  removeWatch(input: RemoveOversightInput, context: GraphqlContext): Promise<OversightRulePayload> {
    return remove('watch', { input, context });
  }

  @Requires('admin')
  @InputMutation(SetPinInput, OversightRulePayload, 'Names the keys that a server may list')
  setPin(input: SetPinInput, context: GraphqlContext): Promise<OversightRulePayload> {
    const { serverName: server_name, mode } = input;
    return set('pin', { server_name, keys: keysOf(input.keys), mode }, { input, context });
  }

  @Requires('admin')
  @InputMutation(RemoveOversightInput, OversightRulePayload)
  removePin(input: RemoveOversightInput, context: GraphqlContext): Promise<OversightRulePayload> {
    return remove('pin', { input, context });
  }

  @Requires('admin')
  @InputMutation(SetNotaryInput, OversightRulePayload, 'Compares with another notary from now on')
  setNotary(input: SetNotaryInput, context: GraphqlContext): Promise<OversightRulePayload> {
    const { serverName: server_name, url } = input;
    return set('notary', { server_name, url, keys: keysOf(input.keys) }, { input, context });
  }

  @Requires('admin')
  @InputMutation(RemoveOversightInput, OversightRulePayload)
  removeNotary(input: RemoveOversightInput, context: GraphqlContext): Promise<OversightRulePayload> {
    return remove('notary', { input, context });
  }

  @Requires('operator')
  @InputMutation(TestWebhookInput, TestWebhookPayload, 'Sends something now, and waits for how it goes')
  async testWebhook(
    input: TestWebhookInput,
    { services, audit }: GraphqlContext,
  ): Promise<TestWebhookPayload> {
    const { name } = input;
    const shown = name.slice(0, SHOWN_CHARACTERS);
    audit.about({ targetType: 'Webhook', targetId: shown, summary: `Tested the webhook ${shown}` });
    const row = await services.oversight.test(name);
    if (row === null) return payloadOf(input, [noWebhook('name')]);
    audit.about({ detail: { state: row.state, message: row.message } });
    return { ...payloadOf(input), delivery: toDelivery(row) };
  }
}

const SHOWN_CHARACTERS = 100;

function noWebhook(field: string): UserError {
  return userError('NOT_FOUND', 'The configuration has no webhook of that name', field);
}

interface Call {
  input: MutationInput & { serverName: string };
  context: GraphqlContext;
}

async function set(
  kind: RuleKind,
  value: Readonly<Record<string, unknown>>,
  { input, context }: Call,
): Promise<OversightRulePayload> {
  const { rules } = context.services.oversight;
  const { serverName } = input;
  const before = rules.find(kind, serverName);
  about(context, { kind, serverName, verb: before === null ? 'Set' : 'Changed' });
  const problem = await rules.set(kind, value, viewerOf(context).name);
  if (problem !== null) return payloadOf(input, [userError('INVALID', problem)]);
  context.audit.about({ detail: { before: before?.value ?? null, after: value } });
  const rule = rules.find(kind, serverName);
  return { ...payloadOf(input), rule: rule === null ? null : toOversightRule(rule) };
}

async function remove(kind: RuleKind, { input, context }: Call): Promise<OversightRulePayload> {
  const { rules } = context.services.oversight;
  const { serverName } = input;
  const before = rules.find(kind, serverName);
  about(context, { kind, serverName, verb: 'Removed' });
  if (before === null) return payloadOf(input, [userError('NOT_FOUND', 'There is none', 'serverName')]);
  const problem = await rules.remove(kind, serverName);
  if (problem !== null) return payloadOf(input, [userError('CONFLICT', problem)]);
  context.audit.about({ detail: { before: before.value, after: null } });
  return payloadOf(input);
}

function about(
  { audit }: GraphqlContext,
  { kind, serverName, verb }: { kind: RuleKind; serverName: string; verb: string },
): void {
  const shown = serverName.slice(0, SHOWN_CHARACTERS);
  audit.about({ targetType: 'RemoteServer', targetId: shown, summary: `${verb} the ${kind} of ${shown}` });
}

function keysOf(keys: readonly NamedKeyInput[]): Record<string, string> {
  return Object.fromEntries(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
}
