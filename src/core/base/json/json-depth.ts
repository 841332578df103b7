/** Levels of arrays and objects that are read of an untrusted JSON text. */
export const MAX_JSON_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Values and escapes that are read of an untrusted JSON text unless its reader needs more: 1 to 2 µs each, on the event
 * loop. A key record of 250 keys has some 600.
 */
export const MAX_JSON_PARTS = 10_000;

/** Whether a JSON text is nested deeper than that: one pass before parsing, brackets inside strings left out. */
export function isJsonTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) {
      inString = true;
    } else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}
