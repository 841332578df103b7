import type { TraceStep } from '../../base/trace.js';
import { quoteForDetail } from '../../base/json/json-syntax-error.js';
import type { AcceptedRecord } from '../../notary/key-record/key-record.js';
import type { CrossCheck } from '../../notary/oversight/cross-check.js';
import { contradictions, type Pins } from '../../notary/oversight/pins.js';

/** Whether the record lists what its pin names. */
export function pinStep({ serverName, record }: AcceptedRecord, pins: Pins): TraceStep {
  const step = { name: 'pin', ms: 0 };
  const pin = pins.find(serverName);
  if (pin === null) return { ...step, status: 'skipped', sentence: 'No pin of this server is known.' };
  const wrong = contradictions(pin, record);
  if (wrong.length === 0) return { ...step, status: 'ok', sentence: 'The record lists pinned keys only.' };
  const sentence = `Not named by the pin: ${wrong.slice(0, 5).map(quoteForDetail).join(', ')}; mode ${pin.mode}.`;
  const status = pin.mode === 'refuse' ? 'failed' : 'warning';
  return { ...step, status, sentence, detail: { reason: 'pin_contradicted' } };
}

const STATUSES = { same: 'ok', differing: 'failed', silent: 'warning' } as const;

/** What another notary says of the same keys. */
export function crossCheckStep(notary: string, { result, message }: CrossCheck, ms: number): TraceStep {
  const step = { name: 'cross-check', ms, status: STATUSES[result], sentence: `${notary}: ${message}` };
  return result === 'same' ? step : { ...step, detail: { reason: `cross_check_${result}` } };
}
