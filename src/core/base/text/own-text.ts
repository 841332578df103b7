/**
 * A copy of a text, because V8 keeps the whole of a text alive, a request's target say, for a part that was cut
 * from it.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
