import { StateBadge } from '../../ui/state/state-badge.js';
import type { Tone } from '../../ui/state/state-badge.js';

const STATES: Record<string, { tone: Tone; word: string }> = {
  FRESH: { tone: 'ok', word: 'fresh' },
  DUE: { tone: 'warn', word: 'due' },
  EXPIRED: { tone: 'bad', word: 'expired' },
};

/** The state of a key record: fresh, past its half-way point, or past valid_until_ts; null = no record. */
export function KeyStateBadge({ state }: { state: string | null }) {
  const { tone, word } = STATES[state ?? ''] ?? { tone: 'idle' as const, word: 'no keys' };
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
