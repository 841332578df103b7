import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, ObjectType } from 'type-graphql';

import { PROXY_SERVERS } from '../../core/base/proxy-server.js';
import { wordsEnum } from '../common/enums.js';
import type { GraphqlContext } from '../context.js';
import { mutationArgs, payloadFields } from '../common/mutation.js';
import { field, nullable, objectFields } from '../common/fields.js';

/** Names on the wire → values inside. `FLAG` is named in the schema for the day there are such. */
export const SettingSource = wordsEnum('SettingSource', ['default', 'file', 'environment', 'flag']);

@ObjectType()
export class Setting extends objectFields({
  path: String,
  value: nullable(GraphQLJSON, { description: 'Null when secret' }),
  runningValue: nullable(GraphQLJSON, {
    description: 'What is in effect; in the report of a reload what was before it. Null when secret',
  }),
  secret: Boolean,
  isSet: Boolean,
  source: SettingSource,
  origin: nullable(String, { description: 'file:line or environment variable' }),
  defaultValue: nullable(GraphQLJSON),
  description: String,
  restartNeeded: field(Boolean, {
    description: 'False when a reload applies a new value to the running service',
  }),
  aliases: field([String], { description: 'Names of Synapse that lead here' }),
  changedSinceStart: field(Boolean, { description: 'A reload has changed it since the start' }),
  isWaiting: field(Boolean, {
    description: 'The last reload found another value, which waits for a restart',
  }),
  waitingValue: nullable(GraphQLJSON, { description: 'That value; null when secret' }),
}) {}

@ArgsType()
export class ReloadSettingsArgs extends mutationArgs({
  dryRun: field(Boolean, { defaultValue: false }),
}) {}

@ObjectType()
export class ReloadSettingsPayload extends payloadFields({
  changed: field([Setting], { description: 'Settings whose values differ from the running ones' }),
  restartNeeded: field(Boolean, { description: 'Whether one of them waits for a restart' }),
}) {}

export const ProxyServer = wordsEnum(
  'ProxyServer',
  PROXY_SERVERS,
  'Reverse proxies that lines are written for',
);
export type ProxyServer = (typeof ProxyServer)[keyof typeof ProxyServer];

type CoreSetting = ReturnType<GraphqlContext['services']['settings']['list']>[number];

/** A setting for operators. */
export function toSetting({ isSecret, ...setting }: CoreSetting): Setting {
  return { ...setting, secret: isSecret };
}
