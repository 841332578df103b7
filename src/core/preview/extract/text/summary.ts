import { codePoints, firstCodePoints } from '../../charset/visible-text.js';

const ENOUGH = 200;
const LONGEST = 500;
const BLANKS = /[\t \r\n]+/g;

/**
 * A description made of running text: paragraphs are added until 200 code points are reached, joined by blank
 * lines, and cut at a word before 500 with an ellipsis. Blank paragraphs do not count. Null when nothing is left.
 */
export function summarizeText(paragraphs: Iterable<string>): string | null {
  let text = '';
  let length = 0;
  for (const paragraph of paragraphs) {
    if (length >= ENOUGH) break;
    const line = paragraph.replace(BLANKS, ' ').trim();
    if (line === '') continue;
    text += `${line}\n\n`;
    length += codePoints(line) + 2;
  }
  const joined = text.trim();
  if (joined === '') return null;
  return codePoints(joined) > LONGEST ? cut(joined) : joined;
}

/** Whole words below 500; a word that is too long for that is split only when little stands before it. */
function cut(text: string): string {
  const words = firstCodePoints(text, LONGEST + 1).split(/(?<=\S)(?=\s)/);
  let result = '';
  let length = 0;
  for (const word of words) {
    const wordLength = codePoints(word);
    if (length + wordLength < LONGEST) {
      result += word;
      length += wordLength;
      continue;
    }
    if (length < ENOUGH) result += word;
    break;
  }
  return `${firstCodePoints(result, LONGEST).trim()}…`;
}
