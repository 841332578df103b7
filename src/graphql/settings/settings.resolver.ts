import { Arg, Ctx, Query, Resolver } from 'type-graphql';

import { settingChanges } from '../../core/base/running-setting.js';
import { ArgsMutation, payloadOf, userError } from '../common/mutation.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
import {
  ProxyServer,
  ReloadSettingsArgs,
  ReloadSettingsPayload,
  Setting,
  toSetting,
} from './setting.type.js';

/** The configuration of the running service. */
@Resolver()
export class SettingsResolver {
  @Requires('operator')
  @Query(() => [Setting])
  settings(
    @Arg('search', () => String, { nullable: true }) search: string | null | undefined,
    @Ctx() { services }: GraphqlContext,
  ): Setting[] {
    return services.settings.list(search ?? null).map(toSetting);
  }

  @Requires('operator')
  @Query(() => String, { description: 'The effective configuration as YAML, secrets left out' })
  effectiveSettings(@Ctx() { services }: GraphqlContext): string {
    return services.settings.yaml();
  }

  @Requires('operator')
  @Query(() => String, {
    description:
      'The lines that a reverse proxy in front of this service needs for peers and clients, to be pasted',
  })
  proxyConfiguration(
    @Arg('server', () => ProxyServer) server: ProxyServer,
    @Ctx() { services }: GraphqlContext,
  ): string {
    return services.settings.proxyLines(server);
  }

  @Requires('admin')
  @ArgsMutation(ReloadSettingsArgs, ReloadSettingsPayload)
  reloadSettings(input: ReloadSettingsArgs, { services, audit }: GraphqlContext): ReloadSettingsPayload {
    const { dryRun } = input;
    const report = services.settings.reload({ dryRun });
    const { errors, changed, restartNeeded } = report;
    audit.about({
      ...(dryRun ? { action: 'checkSettings' } : {}),
      targetType: 'Settings',
      summary: dryRun ? 'Check the configuration' : 'Reload the configuration',
      detail: { dryRun, changes: settingChanges(report) },
    });
    const userErrors = errors.map((error) => userError('INVALID', error));
    return { ...payloadOf(userErrors), changed: changed.map(toSetting), restartNeeded };
  }
}
