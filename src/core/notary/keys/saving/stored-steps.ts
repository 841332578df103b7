import { storableJsonText } from '../../../base/text/storable-text.js';
import type { FetchStep } from '../../federation/fetch-trace.js';

/** What a row of key_fetch may hold of its steps; the budget of a domain counts as much for the whole row. */
const MAX_STEPS_BYTES = 2048;
/** Tried in turn: whole texts up to this length are more than an honest server ever needs. */
const TEXT_LENGTHS = [Infinity, 200, 80];

/**
 * The steps of a fetch as they are stored. Whoever answers chooses how many targets, addresses and names there are, so
 * long texts are cut; if that is not enough the steps in the middle go, and those that tell how it ended stay.
 */
export function storedSteps(steps: readonly FetchStep[]): string {
  for (const length of TEXT_LENGTHS) {
    const text = storableJsonText(steps.map((step) => cut(step, length)));
    if (isShort(text)) return text;
  }
  const left = steps.map((step) => cut(step, TEXT_LENGTHS.at(-1) ?? 0));
  for (;;) {
    left.splice(Math.floor(left.length / 2), 1);
    const text = storableJsonText(left);
    if (isShort(text)) return text;
  }
}

const isShort = (text: string): boolean => Buffer.byteLength(text) <= MAX_STEPS_BYTES;

function cut(step: FetchStep, length: number): FetchStep {
  const sentence = cutText(step.sentence, length);
  if (step.detail === undefined) return { ...step, sentence };
  const detail = Object.fromEntries(
    Object.entries(step.detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutText(value, length) : value,
    ]),
  );
  return { ...step, sentence, detail };
}

/** Never in the middle of a character: databases take no half of one. */
const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
