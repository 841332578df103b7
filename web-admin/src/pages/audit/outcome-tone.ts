import type { Tone } from '../../ui/state/state-badge.js';
import type { AuditRow } from './audit-query.js';

type Outcome = AuditRow['outcome'];

const TONES: Partial<Record<Outcome, Tone>> = { OK: 'ok', CANCELLED: 'idle' };

/** How an outcome is drawn, wherever it stands. */
export function toneOfOutcome(outcome: Outcome): Tone {
  return TONES[outcome] ?? 'bad';
}
