import { GraphQLJSON } from 'graphql-scalars';
import { ObjectType, Resolver } from 'type-graphql';

import { wordsEnum } from '../common/enums.js';
import { field, nullable, objectFields } from '../common/fields.js';
import {
  payloadFields,
  userError,
  Requires,
  payloadOf,
  AdminMutation,
  ArgsQuery,
} from '../common/operations.js';
import type { GraphqlContext } from '../context.js';

const SettingSource = wordsEnum('SettingSource', 'Where the value of a setting comes from', {
  default: 'Default value',
  file: 'Configuration file',
  environment: 'Environment variable',
});

@ObjectType({ description: 'A setting' })
class Setting extends objectFields({
  path: field(String, 'Name'),
  value: nullable(GraphQLJSON, 'Value in effect; null if secret'),
  secret: field(Boolean, 'Whether the value is secret'),
  isSet: field(Boolean, 'Whether it has a value'),
  source: field(SettingSource, 'Where the value comes from'),
  origin: nullable(String, 'file:line or environment variable'),
  defaultValue: nullable(GraphQLJSON, 'Default value'),
  description: field(String, 'What it does'),
  restartNeeded: field(Boolean, 'Whether a change takes effect only after a restart'),
  isWaiting: field(Boolean, 'Whether a changed value waits for a restart'),
  waitingValue: nullable(GraphQLJSON, 'The changed value; null if secret'),
}) {}

@ObjectType({ description: 'A setting that the configuration on disk changes' })
class SettingChange extends objectFields({
  path: field(String, 'Name'),
  from: nullable(GraphQLJSON, 'Value in effect before; null if secret'),
  to: nullable(GraphQLJSON, 'Value on disk; null if secret'),
  waits: field(Boolean, 'Whether it takes effect only after a restart'),
}) {}

@ObjectType({ description: 'Result of a reload' })
class ReloadSettingsPayload extends payloadFields({
  changed: field([SettingChange], 'Settings whose configured value differs from the value in effect'),
}) {}

type CoreSetting = ReturnType<GraphqlContext['services']['settings']['list']>[number];

@Resolver()
export class SettingsResolver {
  @Requires('operator')
  @ArgsQuery({ search: nullable(String, 'Part of the name or the description') }, [Setting], 'All settings')
  settings({ search = null }: { search?: string | null }, { services }: GraphqlContext) {
    return services.settings.list(search).map(toSetting);
  }

  @AdminMutation(
    { dryRun: field(Boolean, 'Only show what would change', false) },
    ReloadSettingsPayload,
    'Reads the configuration again and applies it',
  )
  reloadSettings(
    { dryRun }: { dryRun: boolean },
    { services, audit }: GraphqlContext,
  ): ReloadSettingsPayload {
    const { errors, changed } = services.settings.reload({ dryRun });
    audit.about({
      ...(dryRun ? { action: 'checkSettings' } : {}),
      targetType: 'Settings',
      summary: dryRun ? 'Check the configuration' : 'Reload the configuration',
      detail: { dryRun, changes: changed },
    });
    const userErrors = errors.map((error) => userError('INVALID', error));
    return { ...payloadOf(userErrors), changed: [...changed] };
  }
}

function toSetting({ isSecret, ...setting }: CoreSetting): Setting {
  return { ...setting, secret: isSecret };
}
