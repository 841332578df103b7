/** A part of an untrusted text: as it stands, or a mark for a character that must not act on the page. */
export type TextPart = { kind: 'text'; text: string } | { kind: 'mark'; code: string; name: string };

const NAMES = new Map<number, string>([
  [0x00ad, 'soft hyphen'],
  [0x061c, 'Arabic letter mark'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x2028, 'line separator'],
  [0x2029, 'paragraph separator'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0xfeff, 'byte order mark'],
]);

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0xe0000 && code <= 0xe007f);
}

/**
 * Splits text where a character is invisible or steers the writing direction (controls, bidi, zero width, tags).
 * A zero-width joiner between pictographs is left alone: families of emoji need it.
 */
export function splitAtMarks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let run = '';
  const characters = Array.from(text);
  characters.forEach((character, index) => {
    const code = character.codePointAt(0) ?? 0;
    const joins = code === 0x200d && /\p{Extended_Pictographic}|\u{fe0f}/u.test(characters[index - 1] ?? '');
    if (joins || (!NAMES.has(code) && !isControl(code))) {
      run += character;
      return;
    }
    if (run !== '') parts.push({ kind: 'text', text: run });
    run = '';
    const hex = code.toString(16).toUpperCase().padStart(4, '0');
    parts.push({ kind: 'mark', code: `U+${hex}`, name: NAMES.get(code) ?? 'control character' });
  });
  if (run !== '') parts.push({ kind: 'text', text: run });
  return parts;
}

const MIN_TAIL = 12;

/**
 * Cuts the middle out of a text above `max` characters, so both its start and its end stay readable. The host of an
 * address stays whole where there is room.
 */
export function cutMiddle(text: string, max: number): string {
  const characters = Array.from(text);
  if (characters.length <= max) return text;
  const host = /^(?:[a-z]+:\/\/)?[^/?#]+[/?#]/i.exec(text)?.[0] ?? '';
  const head = Math.max(Math.ceil((max - 1) * 0.6), Math.min(Array.from(host).length, max - MIN_TAIL));
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (max - 1 - head)).join('')}`;
}

/** The text with marks written out, for tooltips and attributes that cannot hold elements. */
export function writeMarks(text: string): string {
  return splitAtMarks(text)
    .map((part) => (part.kind === 'text' ? part.text : `⟨${part.code}⟩`))
    .join('');
}
