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

/** Effective values of all settings in the order of the sample; secrets and passwords within addresses are masked. */
export function describeConfig(
  config: Config,
  sources: ReadonlyMap<string, Source> = new Map(),
): SettingRow[] {
  return listSettings().map(({ name, about }) => ({
    name,
    value: shownValue(valueOf(config, name), about),
    default: about.default ?? null,
    source: sources.get(name) ?? 'default',
    doc: about.doc,
  }));
}

/** The effective value of a setting by its dotted name. */
export function valueOf(config: Config, name: string): unknown {
  return valueAt(config, name.split('.'));
}

const MASK = '***';

export function shownValue(value: unknown, { secret, kind: { unit } }: SettingAbout): unknown {
  if (value === null) return null;
  if (secret) return maskedAddress(value);
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && unit === 'duration') return formatDuration(value);
  if (typeof value === 'number' && unit === 'size') return formatSize(value);
  // Of addresses that need no user, such as that of object storage.
  return typeof value === 'string' ? value.replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${MASK}@`) : value;
}

/** Host and user of an address; a path or a query may be a secret. What is not an address is not shown at all. */
function maskedAddress(value: unknown): string {
  const isAddress = typeof value === 'string' && /^(?:https?|postgres(?:ql)?):\/\//i.test(value);
  if (!isAddress || !URL.canParse(value)) return MASK;
  const url = new URL(value);
  if (url.password !== '') url.password = MASK;
  const isWeb = /^https?:$/.test(url.protocol);
  if (isWeb ? url.search !== '' : /password/i.test(url.search)) url.search = MASK;
  if (isWeb && url.pathname !== '/') url.pathname = `/${MASK}`;
  return url.href;
}
