import { typeRefused } from '../download-errors.js';

/** What an answer without a Content-Type is (SPEC §4.7.5); nobody states it, as it is not accepted. */
export const UNSTATED_TYPE = 'application/octet-stream';

/** Prefixes of SPEC §4.7.5. */
const ACCEPTED = ['text/html', 'application/xhtml', 'image/', 'application/json'] as const;

/**
 * The content type of an answer as it was sent; `application/octet-stream` without such a header (SPEC §4.7.5).
 * @throws ApiError 502 for a type that is not accepted, an empty value included.
 */
export function acceptedContentType(header: string | undefined): string {
  if (header === undefined) return UNSTATED_TYPE;
  const type = header.toLowerCase();
  if (!ACCEPTED.some((prefix) => type.startsWith(prefix)) || !isAscii(type)) throw typeRefused(header);
  return header;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7e) return false;
  }
  return true;
}
