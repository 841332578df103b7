/** An untrusted text, quoted and cut to 64 characters, for use in a detail. */
export function quoteForDetail(text: string): string {
  return text.length <= 64 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 64))}...`;
}
