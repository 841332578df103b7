import { valueAt } from '../../core/base/json/is-record.js';
import type { Source } from '../load-config.js';
import type { Config } from '../schema.js';
import type { SettingAbout } from '../kinds/setting.js';
import { listSettings } from '../setting-tree.js';
import { formatDuration, formatSize } from '../kinds/units.js';

/** One setting as `config show` prints it; values are JSON-able and in the form operators write. */
export interface SettingRow {
  readonly name: string;
  readonly value: unknown;
  /** Null when the setting is unset by default. */
  readonly default: unknown;
  readonly source: Source;
  readonly doc: string;
}

/** Effective values of all settings in the order of the sample; passwords within addresses are masked. */
export function describeConfig(
  config: Config,
  sources: ReadonlyMap<string, Source> = new Map(),
): SettingRow[] {
  return listSettings().map(({ name, about }) => ({
    name,
    value: shown(valueOf(config, name), about),
    default: about.default ?? null,
    source: sources.get(name) ?? 'default',
    doc: about.doc,
  }));
}

/** The effective value of a setting by its dotted name. */
export function valueOf(config: Config, name: string): unknown {
  return valueAt(config, name.split('.'));
}

function shown(value: unknown, about: SettingAbout): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && about.kind.unit === 'duration') return formatDuration(value);
  if (typeof value === 'number' && about.kind.unit === 'size') return formatSize(value);
  return about.secret && typeof value === 'string' ? withoutPassword(value) : value;
}

const ADDRESS = /^(?:https?|postgres(?:ql)?):\/\//i;

/** What is no address, or one of a scheme that a secret may merely look like, is not shown at all. */
function withoutPassword(address: string): string {
  if (!ADDRESS.test(address) || !URL.canParse(address)) return '***';
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  for (const name of url.searchParams.keys()) {
    if (/password/i.test(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}
