import { isObject, type CanonicalValue } from '../records/canonical-json.js';
import type { ReadKeyEntry } from '../records/key-entry.js';
import { formatTs, printable } from './output.js';

const MAX_KEYS = 16;

/** What an entry says, one fact a line, safe to print. */
export function entryLines({ event, observedTs, serverName, recordSha256, content }: ReadKeyEntry): string[] {
  return [
    `${formatTs(observedTs)}  ${printable(serverName)}  ${event}`,
    `  record   ${recordSha256}`,
    ...keyLines('key', content['verify_keys']),
    ...keyLines('old key', content['old_verify_keys']),
  ];
}

function keyLines(title: string, listed: CanonicalValue | undefined): string[] {
  if (!isObject(listed)) return [];
  const lines = Object.entries(listed).map(([keyId, about]) => {
    const { key, expired_ts: expiredTs } = isObject(about) ? about : {};
    const expired = typeof expiredTs === 'number' ? `  expired ${formatTs(expiredTs)}` : '';
    return `  ${title.padEnd(8)} ${printable(keyId)}  ${typeof key === 'string' ? printable(key) : ''}${expired}`;
  });
  const more = lines.length - MAX_KEYS;
  return more > 0 ? [...lines.slice(0, MAX_KEYS), `  … and ${more} more`] : lines;
}
