import { StateBadge } from '../../ui/state/state-badge.js';
import type { Tone } from '../../ui/state/state-badge.js';

const STATES: Record<string, { tone: Tone; word: string }> = {
  FRESH: { tone: 'ok', word: 'fresh' },
  DUE: { tone: 'warn', word: 'due' },
  EXPIRED: { tone: 'bad', word: 'expired' },
};

/** The state of a key record: fresh, past its half-way point, or past valid_until_ts; null = no record. A key that was replaced is no longer simply fresh. */
export function KeyStateBadge({ state, isReplaced }: { state: string | null; isReplaced: boolean }) {
  if (isReplaced) return <StateBadge tone="bad">key replaced</StateBadge>;
  const { tone, word } = STATES[state ?? ''] ?? { tone: 'idle' as const, word: 'no keys' };
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
