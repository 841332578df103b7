import { printable } from './printable.js';

const SHOWN_CHARACTERS = 200;
/** The longest character of UTF-8. */
const MAX_CHARACTER_BYTES = 4;
const SPACING: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * The first 200 characters of a body from elsewhere, read as UTF-8 and safe to show: control, direction and invisible
 * characters are escapes.
 */
export function bodyStart(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, SHOWN_CHARACTERS * MAX_CHARACTER_BYTES));
  const start = Array.from(text).slice(0, SHOWN_CHARACTERS).join('');
  return printable(start.replace(/[\t\n\r]/g, (found) => SPACING[found] ?? found));
}
