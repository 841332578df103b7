import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { SettingView } from '../core/base/running-setting.js';
import { shownValue, valueOf } from './output/describe-config.js';
import type { OriginOf, Source } from './load-config.js';
import type { Config } from './schema.js';
import { listSettings, SETTING_NAMES } from './setting-tree.js';
import { UNUSED_SETTINGS } from './unused-settings.js';

/** A checked configuration and where its values come from. */
export interface SourcedConfig {
  config: Config;
  sources: ReadonlyMap<string, Source>;
  originOf: OriginOf;
}

const OF_ONE_INSTANCE = 'log.level';
const ALIASES = aliasesOf(UNUSED_SETTINGS);

/** All settings in the order of the sample. Values of secrets never leave this function. */
export function viewSettings({ config, sources, originOf }: SourcedConfig): SettingView[] {
  return listSettings().map(({ name, about }) => {
    const value = valueOf(config, name);
    const source = sources.get(name) ?? 'default';
    return {
      path: name,
      value: about.secret ? null : shownValue(value, about),
      isSecret: about.secret,
      isSet: value !== null,
      source: source === 'default' || source === 'file' ? source : 'environment',
      origin: originOf(name.split('.')),
      defaultValue: about.default ?? null,
      description: `${about.doc}.`,
      restartNeeded: !about.live,
      aliases: ALIASES.get(name) ?? [],
    };
  });
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
    .filter(({ name, about }) => about.live && name !== OF_ONE_INSTANCE)
    .map(({ name }) => [name, valueOf(config, name)]);
  return hash('sha256', JSON.stringify(values, plainForm));
}

function plainForm(_name: string, value: unknown): unknown {
  if (value instanceof Map) return [...value.entries()];
  return value instanceof RegExp ? value.source : value;
}

/** Whether a setting is one that a text looks for: by its name, its aliases or its meaning. */
export function isFound({ path, description, aliases }: SettingView, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [path, description, ...aliases].some((text) => text.toLowerCase().includes(wanted));
}

/** Reasons such as "see log.level and log.requests" name the settings that stand in for another one. */
function aliasesOf(unused: ReadonlyMap<string, string>): Map<string, string[]> {
  const names = new Set(SETTING_NAMES);
  const aliases = new Map<string, string[]>();
  for (const [alias, reason] of unused) {
    for (const word of reason.split(/[\s,;]+/)) {
      if (names.has(word)) aliases.set(word, [...(aliases.get(word) ?? []), alias]);
    }
  }
  return aliases;
}
