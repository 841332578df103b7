import { StateBadge, type Tone } from '../../ui/state/state-badge.js';

const STATES: Record<string, { tone: Tone; word: string }> = {
  FRESH: { tone: 'ok', word: 'fresh' },
  DUE: { tone: 'warn', word: 'due' },
  EXPIRED: { tone: 'bad', word: 'expired' },
};

interface KeyStateBadgeProps {
  /** Fresh, past its half-way point, or past valid_until_ts; null = no record. */
  state: string | null;
  /** The key was replaced, or another one of the server was, and nobody has acknowledged it: nothing is fresh then. */
  alarm: 'key' | 'server' | null;
}

/** The state of a key record. */
export function KeyStateBadge({ state, alarm }: KeyStateBadgeProps) {
  if (alarm === 'key') return <StateBadge tone="bad">key replaced</StateBadge>;
  if (alarm === 'server' && state === 'FRESH') return <StateBadge tone="idle">not expired</StateBadge>;
  const { tone, word } = STATES[state ?? ''] ?? { tone: 'idle' as const, word: 'no keys' };
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
