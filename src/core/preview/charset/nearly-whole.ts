import { encodingFamily } from './charset-label.js';
import { decodeChunks } from './decode-chunks.js';

/** Good characters that must stand against each broken one. UTF-8 proves itself: nothing else looks like it. */
const GOOD_PER_BROKEN = { 'utf-8': 1, 'utf-16': 8, 'east-asian': 2, 'single-byte': 2 };
const REPLACEMENT = 0xfffd;

/** How many characters beyond ASCII a reading gives; all of them in UTF-16, where none stands for itself. */
export interface Reading {
  good: number;
  /** Good ones beside another such one. */
  inRuns: number;
  /** Bytes or sequences that stand for nothing. */
  broken: number;
}

/**
 * Does only a small share of `body` stand for nothing in `encoding` (a text cut in the middle of a character, one
 * pasted line)? East Asian text comes in runs; a Western page under such a label gives single odd characters.
 */
export function isNearlyWhole(body: Buffer, encoding: string): boolean {
  const family = encodingFamily(encoding);
  const { good, inRuns, broken } = readingOf(body, encoding);
  const proof = family === 'east-asian' ? inRuns : good;
  return proof > 0 && proof >= broken * GOOD_PER_BROKEN[family];
}

/** Counts what decoding `body` as `encoding` gives. */
export function readingOf(body: Buffer, encoding: string): Reading {
  const reading = { good: 0, inRuns: 0, broken: 0 };
  const lowest = encodingFamily(encoding) === 'utf-16' ? 0 : 0x80;
  let run = 0;
  for (const chunk of decodeChunks(body, encoding)) {
    for (let at = 0; at < chunk.length; at += 1) {
      const unit = chunk.charCodeAt(at);
      const isGood = unit >= lowest && unit !== REPLACEMENT;
      run = isGood ? run + 1 : 0;
      if (isGood) reading.good += 1;
      else if (unit === REPLACEMENT) reading.broken += 1;
      if (run === 2) reading.inRuns += 2;
      else if (run > 2) reading.inRuns += 1;
    }
  }
  return reading;
}
