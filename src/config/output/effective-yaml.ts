import { stringify } from 'yaml';

import type { SettingView } from '../../core/base/running-setting.js';
import { isRecord } from '../../core/base/json/is-record.js';

/** Settings as a configuration file: what is unset or secret stands as a comment. */
export function effectiveYaml(settings: readonly SettingView[]): string {
  const tree: Record<string, unknown> = {};
  const left: string[] = [];
  for (const { path, value, isSecret, isSet } of settings) {
    if (isSecret) left.push(`# ${path}: ${isSet ? 'set, not shown' : 'not set'}`);
    else if (isSet) place(tree, path.split('.'), withoutNulls(value));
  }
  return `${stringify(tree, { lineWidth: 0 })}${left.map((line) => `${line}\n`).join('')}`;
}

/** Members that are unset, such as those of listeners, are absent in a file. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function place(tree: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const old = tree[name];
  const inner = isRecord(old) ? old : {};
  tree[name] = inner;
  place(inner, rest, value);
}
