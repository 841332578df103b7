import { GraphQLJSON } from 'graphql-scalars';
import { Field, InputType, ObjectType } from 'type-graphql';

import { PROXY_SERVERS } from '../../core/base/proxy-server.js';
import { wordsEnum } from '../common/words-enum.js';
import type { GraphqlContext } from '../context.js';
import { MutationInput, MutationPayload } from '../common/mutation.js';

/** Names on the wire → values inside. `FLAG` is named in the schema for the day there are such. */
export const SettingSource = wordsEnum('SettingSource', ['default', 'file', 'environment', 'flag']);
export type SettingSource = (typeof SettingSource)[keyof typeof SettingSource];

@ObjectType()
export class Setting {
  @Field(() => String)
  path!: string;

  @Field(() => GraphQLJSON, { nullable: true, description: 'Null when secret' })
  value!: unknown;

  @Field(() => Boolean)
  secret!: boolean;

  @Field(() => Boolean)
  isSet!: boolean;

  @Field(() => SettingSource)
  source!: SettingSource;

  @Field(() => String, { nullable: true, description: 'file:line or environment variable' })
  origin!: string | null;

  @Field(() => GraphQLJSON, { nullable: true })
  defaultValue!: unknown;

  @Field(() => String)
  description!: string;

  @Field(() => Boolean, { description: 'False when a reload applies a new value to the running service' })
  restartNeeded!: boolean;

  @Field(() => [String], { description: 'Names of Synapse that lead here' })
  aliases!: readonly string[];

  @Field(() => Boolean, { description: 'A reload has changed it since the start' })
  changedSinceStart!: boolean;

  @Field(() => Boolean, { description: 'The last reload found another value, which waits for a restart' })
  isWaiting!: boolean;

  @Field(() => GraphQLJSON, { nullable: true, description: 'That value; null when secret' })
  waitingValue!: unknown;
}

@InputType()
export class ReloadSettingsInput extends MutationInput {
  @Field(() => Boolean, { defaultValue: false })
  dryRun!: boolean;
}

@ObjectType()
export class ReloadSettingsPayload extends MutationPayload {
  @Field(() => [Setting], { description: 'Settings whose values differ from the running ones' })
  changed!: Setting[];

  @Field(() => Boolean, { description: 'Whether one of them waits for a restart' })
  restartNeeded!: boolean;
}

/** Names on the wire → values inside. */
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
