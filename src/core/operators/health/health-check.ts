/** `not_yet_proved`: nothing happened yet that would show whether it works. */
export type HealthState = 'ok' | 'warning' | 'failed' | 'not_yet_proved';

/** What a check found. */
export interface Finding {
  state: HealthState;
  /** One sentence. */
  message: string;
  /** What to do; `null`: nothing. */
  advice: string | null;
  /** Path inside the web UI, below its base path; `null`: no page shows more. */
  href: string | null;
  /** When it was seen to work, POSIX ms; absent: now, or never while it is unproved. */
  provedTs?: number | null;
}

/** One check of the health list. */
export interface Check {
  /** Stable name, such as `dns`. */
  id: string;
  title: string;
  /** How it is proved, in a few words. */
  how: string;
  /** It goes out or writes: a server runs it every five minutes and keeps the finding. */
  isProbe?: true;
  /** A rejection is a failed check. */
  check(signal: AbortSignal): Promise<Finding>;
}

/** A line of the health list. */
export interface HealthLine extends Finding {
  id: string;
  title: string;
  how: string;
  provedTs: number | null;
}

export function ok(message: string, href: string | null = null): Finding {
  return { state: 'ok', message, advice: null, href };
}

export function warning(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'warning', message, advice, href };
}

export function failed(message: string, advice: string, href: string | null = null): Finding {
  return { state: 'failed', message, advice, href };
}

export function unproved(message: string, href: string | null = null, advice: string | null = null): Finding {
  return { state: 'not_yet_proved', message, advice, href };
}

const RANK = { failed: 0, warning: 1, not_yet_proved: 2, ok: 3 } as const;

/** The order of every list. */
export function worstFirst(lines: readonly HealthLine[]): HealthLine[] {
  return lines.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
}
