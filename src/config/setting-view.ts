import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { valueAt } from '../core/base/json/is-record.js';
import type { RunningSetting } from '../core/base/running-setting.js';
import type { SettingAbout } from './kinds/setting.js';
import { formatDuration, formatSize } from './kinds/units.js';
import type { OriginOf } from './load-config.js';
import type { Config } from './schema.js';
import { listSettings, SETTING_NAMES } from './setting-tree.js';

export interface SourcedConfig {
  config: Config;
  originOf: OriginOf;
}

export type SettingView = Omit<RunningSetting, 'isWaiting' | 'waitingValue'>;

/** All settings in the order of the sample. Values of secrets never leave this function. */
export function viewSettings({ config, originOf }: SourcedConfig): SettingView[] {
  return listSettings().map(({ name, about }) => {
    const value = valueOf(config, name);
    const origin = originOf(name.split('.'));
    return {
      path: name,
      value: about.secret ? null : shownValue(value, about),
      isSecret: about.secret,
      isSet: value !== null,
      source: origin === null ? 'default' : isVariable(origin) ? 'environment' : 'file',
      origin,
      defaultValue: about.default ?? null,
      description: `${about.doc}.`,
      restartNeeded: !about.live,
    };
  });
}

/** Whether an origin is a variable, not a line of a file. */
function isVariable(origin: string): boolean {
  return !/:\d+$/.test(origin);
}

export function valueOf(config: Config, name: string): unknown {
  return valueAt(config, name.split('.'));
}

function shownValue(value: unknown, { kind: { unit } }: SettingAbout): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && unit === 'duration') return formatDuration(value);
  if (typeof value === 'number' && unit === 'size') return formatSize(value);
  // Of addresses that need no user, such as that of object storage.
  return typeof value === 'string' ? value.replace(/^(https?:\/\/)[^/?#@]*@/i, '$1***@') : value;
}

/** Dotted names of the settings whose values differ, in the order of the sample. */
export function changedSettings(before: Config, after: Config): string[] {
  return SETTING_NAMES.filter((name) => !isDeepStrictEqual(valueOf(before, name), valueOf(after, name)));
}

/**
 * SHA-256 (hex) of the live settings that all instances on one database should have alike. Others hold paths and names
 * of one machine.
 */
export function fingerprintOfLive({ config }: Pick<SourcedConfig, 'config'>): string {
  const values = listSettings()
    .filter(({ name, about }) => about.live && name !== 'log.level')
    .map(({ name }) => [name, valueOf(config, name)]);
  return hash('sha256', JSON.stringify(values));
}
