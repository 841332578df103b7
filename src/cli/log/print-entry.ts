import { isJsonInteger, isJsonObject, type JsonObject } from '../../core/base/json/json-value.js';
import type { FollowedEntry } from '../../core/notary/log/follower/followed-entry.js';
import { formatTs } from '../terminal/print.js';
import { printable } from '../../core/base/text/printable.js';

const MAX_KEYS = 16;

/** What an entry says, one fact a line, safe to print. */
export function entryLines({
  event,
  observedTs,
  serverName,
  recordSha256,
  content,
}: FollowedEntry): string[] {
  return [
    `${formatTs(observedTs)}  ${printable(serverName)}  ${event}`,
    `  record   ${recordSha256}`,
    ...keyLines('key', content['verify_keys']),
    ...keyLines('old key', content['old_verify_keys']),
  ];
}

function keyLines(title: string, listed: JsonObject[string] | undefined): string[] {
  if (!isJsonObject(listed)) return [];
  const lines = Object.entries(listed).map(([keyId, about]) => {
    const { key, expired_ts: expiredTs } = isJsonObject(about) ? about : {};
    const expired = isJsonInteger(expiredTs) ? `  expired ${formatTs(Number(expiredTs))}` : '';
    return `  ${title.padEnd(8)} ${printable(keyId)}  ${typeof key === 'string' ? printable(key) : ''}${expired}`;
  });
  const more = lines.length - MAX_KEYS;
  return more > 0 ? [...lines.slice(0, MAX_KEYS), `  … and ${more} more`] : lines;
}
