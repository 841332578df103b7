/** The text without a character wherever it stands at the end; `/x+$/` takes time by the square of what others send. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
