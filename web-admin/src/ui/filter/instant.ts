const DAY = 'YYYY-MM-DD'.length;

/** The instant of `2026-11-20` or `2026-11-20T21:13` in UTC for the API; null when it is not a time. */
export function instantOf(text: string): string | null {
  const ts = Date.parse(text.length === DAY ? text : `${text}Z`);
  const instant = Number.isNaN(ts) ? '' : new Date(ts).toISOString();
  // The browser takes 31 February for 3 March, which nobody wrote.
  return text.length >= DAY && instant.startsWith(text) ? instant : null;
}
