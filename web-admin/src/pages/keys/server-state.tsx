import { StateBadge, type Tone } from '../../ui/state/state-badge.js';

const STATES: Record<string, { tone: Tone; word: string }> = {
  FRESH: { tone: 'ok', word: 'fresh' },
  DUE: { tone: 'warn', word: 'due' },
  EXPIRED: { tone: 'bad', word: 'expired' },
};

interface KeyStateBadgeProps {
  /** Fresh, past its half-way point, or past valid_until_ts; null = no record. */
  state: string | null;
  /**
   * An alarm that nobody has acknowledged: of this key, which was replaced, of this server, or of another key of the
   * server. Nothing is fresh then.
   */
  alarm: 'key' | 'server' | 'other' | null;
}

/** The state of a key record. */
export function KeyStateBadge({ state, alarm }: KeyStateBadgeProps) {
  if (alarm === 'key') return <StateBadge tone="bad">key replaced</StateBadge>;
  if (alarm === 'server') return <StateBadge tone="bad">needs attention</StateBadge>;
  if (alarm === 'other' && state === 'FRESH') return <StateBadge tone="idle">not expired</StateBadge>;
  const { tone, word } = STATES[state ?? ''] ?? { tone: 'idle' as const, word: 'no keys' };
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
