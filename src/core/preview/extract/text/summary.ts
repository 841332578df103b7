import type { Element } from 'domhandler';

import { walk } from '../dom/read-body.js';
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

/** More than a summary ever reads: of one text, and of all. */
const MAX_NODE_LENGTH = 2_000;
const MAX_TEXT = 1_000;

/** Texts of a page outside of menus and the like, each by itself as `standard` reads them, as many as a summary can use. */
export function textNodes(root: Element): string[] {
  const texts: string[] = [];
  let length = 0;
  walk(root, {
    enter: () => {},
    text: ({ data, parent }, { isNodeText }) => {
      const isTitle = parent !== null && 'name' in parent && parent.name === 'title';
      if (!isNodeText || isTitle || length >= MAX_TEXT) return;
      const text = data.slice(0, MAX_NODE_LENGTH).replaceAll(/\s+/g, ' ').trim();
      length += text.length;
      if (text !== '') texts.push(text);
    },
    leave: () => {},
  });
  return texts;
}
