/** What somebody typed; `null` for nothing. */
export function textOf(text: string | null | undefined): string | null {
  const typed = text?.trim() ?? '';
  return typed === '' ? null : typed;
}
