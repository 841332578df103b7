/**
 * What a terminal would obey or hide instead of showing: control characters (escape sequences begin with one),
 * format characters such as the ones that turn the direction of text, line separators, lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from elsewhere, safe to print: what a terminal would obey is shown as a `\u` escape. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escapeUnits);
}

/** As `printable`, for JSON text of several lines: line feeds stay, and the escapes keep it the same JSON. */
export function printableJson(text: string): string {
  return text.replace(UNPRINTABLE, (found) => (found === '\n' ? found : escapeUnits(found)));
}

function escapeUnits(text: string): string {
  let escaped = '';
  for (let i = 0; i < text.length; i++) {
    escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
