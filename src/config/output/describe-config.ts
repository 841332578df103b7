import { isRecord, valueAt } from '../../core/base/json/is-record.js';
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
  if (about.secret) return masked(value, about.kind.shownMembers ?? []);
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && about.kind.unit === 'duration') return formatDuration(value);
  if (typeof value === 'number' && about.kind.unit === 'size') return formatSize(value);
  return value;
}

const MASK = '***';
const ADDRESS = /^(?:https?|postgres(?:ql)?):\/\//i;

/** Whatever form a secret has, only what its kind names is shown of it; an empty list hides nothing. */
function masked(value: unknown, shownMembers: readonly string[]): unknown {
  if (value === null) return null;
  if (typeof value === 'string') return withoutPassword(value);
  return Array.isArray(value) ? value.map((entry: unknown) => maskedEntry(entry, shownMembers)) : MASK;
}

function maskedEntry(entry: unknown, shownMembers: readonly string[]): unknown {
  // Names of members may be secret themselves where the kind says nothing of them.
  if (shownMembers.length === 0 || !isRecord(entry)) return MASK;
  const members = Object.entries(entry).map(([name, member]) => [
    name,
    shownMembers.includes(name) ? member : MASK,
  ]);
  return Object.fromEntries(members);
}

/** What is no address, or one of a scheme that a secret may merely look like, is not shown at all. */
function withoutPassword(address: string): string {
  if (!ADDRESS.test(address) || !URL.canParse(address)) return MASK;
  const url = new URL(address);
  if (url.password !== '') url.password = MASK;
  for (const name of url.searchParams.keys()) {
    if (/password/i.test(name)) url.searchParams.set(name, MASK);
  }
  return url.href;
}
