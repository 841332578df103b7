import { StateBadge, type Tone } from '../../ui/state/state-badge.js';

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  READY: ['ok', 'ready'],
  RUNNING: ['busy', 'being made'],
  FAILED: ['bad', 'failed'],
};

/** How an entry of the memory cache stands. */
export function MemoryStateBadge({ state }: { state: string }) {
  const [tone, word] = STATES[state] ?? ['idle' as const, state.toLowerCase()];
  return <StateBadge tone={tone}>{word}</StateBadge>;
}
