import { isUtf8 } from 'node:buffer';

import { isRecord } from '../../base/json/is-record.js';

/** An oEmbed answer as parsed: member values of any type. */
export type OembedDocument = Readonly<Record<string, unknown>>;

const MAX_BYTES = 1024 * 1024;

/**
 * Parses the bytes of an oEmbed answer (oEmbed §2.3): an object in JSON and UTF-8, at most 1 MiB,
 * of version 1.0 or without a version. Null for everything else.
 */
export function parseOembed(body: Buffer): OembedDocument | null {
  if (body.length > MAX_BYTES || !isUtf8(body)) return null;
  // A byte order mark is none of the JSON.
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  const value = parsed(text);
  return isRecord(value) && hasKnownVersion(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function hasKnownVersion({ version }: OembedDocument): boolean {
  return version === undefined || version === '1.0' || version === 1;
}
