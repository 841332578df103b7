import { Document } from 'yaml';

import type { SettingView } from '../../core/base/running-setting.js';
import { isRecord } from '../../core/base/json/is-record.js';

/** Settings as a configuration file: secrets stand as comments. */
export function effectiveYaml(settings: readonly SettingView[]): string {
  const document = new Document({});
  for (const { path, value, isSecret, isSet } of settings)
    if (isSet && !isSecret) document.setIn(path.split('.'), document.createNode(withoutNulls(value)));
  const secrets = settings.filter(({ isSecret }) => isSecret);
  const comments = secrets.map(({ path, isSet }) => `# ${path}: ${isSet ? 'set, not shown' : 'not set'}\n`);
  return document.toString({ lineWidth: 0 }) + comments.join('');
}

/** Members that are unset, such as those of listeners, are absent in a file. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
