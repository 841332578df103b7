import { codePoints } from '../../charset/visible-text.js';

/** Ideographs, kana and Hangul say as much as two or three letters. */
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]/g;
const WIDE_CHARACTER = 2.5;
const HAS_WIDE = /[\u1100-\uffff]/;

/** How much a text says, in letters: its code points, those of East Asian scripts two and a half times. */
export function textWidth(text: string): number {
  const count = codePoints(text);
  if (!HAS_WIDE.test(text)) return count;
  return count + (text.match(WIDE)?.length ?? 0) * (WIDE_CHARACTER - 1);
}
