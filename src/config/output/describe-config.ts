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
  if (about.secret) return masked(value);
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && about.kind.unit === 'duration') return formatDuration(value);
  if (typeof value === 'number' && about.kind.unit === 'size') return formatSize(value);
  if (typeof value === 'string') return withoutUserInfo(value);
  return value;
}

const MASK = '***';
const ADDRESS = /^(?:https?|postgres(?:ql)?):\/\//i;

/** An empty list hides nothing. */
function masked(value: unknown): unknown {
  if (value === null) return null;
  if (typeof value === 'string') return withoutPassword(value);
  return Array.isArray(value) ? value.map(() => MASK) : MASK;
}

/** Of addresses that need none, such as that of object storage. */
function withoutUserInfo(value: string): string {
  const url = ADDRESS.test(value) && URL.canParse(value) ? new URL(value) : null;
  if (url === null || (url.username === '' && url.password === '')) return value;
  url.username = MASK;
  url.password = '';
  return url.href;
}

/** What is no address, or one of a scheme that a secret may merely look like, is not shown at all. */
function withoutPassword(address: string): string {
  if (!ADDRESS.test(address) || !URL.canParse(address)) return MASK;
  const url = new URL(address);
  if (url.password !== '') url.password = MASK;
  // The path or the query of a webhook is often its only secret.
  if (/^https?:$/.test(url.protocol) && url.pathname + url.search !== '/') {
    url.pathname = `/${MASK}`;
    url.search = '';
  }
  for (const name of url.searchParams.keys()) {
    if (/password/i.test(name)) url.searchParams.set(name, MASK);
  }
  return url.href;
}
