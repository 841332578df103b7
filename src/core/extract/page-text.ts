import { codePoints, cutAtWord } from '../charset/visible-text.js';
import type { Candidates, TextBlock } from './pass/candidates.js';
import { summarizeText } from './summary.js';

const LONGEST_TITLE = 100;
/** A paragraph of this length says something; shorter ones are bylines, dates and captions. */
const SUBSTANTIAL = 80;
const MOST_LINKED = 0.5;

/** A title for a page without any heading: its first line. Null on a page without text. */
export function titleByText(found: Candidates): string | null {
  const first = found.blocks[0];
  return first === undefined ? null : cutAtWord(first.text, LONGEST_TITLE);
}

/**
 * A description for a page without one: its first substantial paragraph, inside the article where the page marks
 * one; else as much text as a summary takes. Null on a page without text.
 */
export function describeByText(found: Candidates): string | null {
  const { blocks } = found;
  const content = blocks.some(({ isContent }) => isContent)
    ? blocks.filter(({ isContent }) => isContent)
    : blocks;
  for (const candidates of content === blocks ? [blocks] : [content, blocks]) {
    const first =
      candidates.find((block) => block.isParagraph && isSubstantial(block)) ?? candidates.find(isSubstantial);
    if (first !== undefined) return summarizeText([first.text]);
  }
  const rest = needsFirstLine(found) ? blocks.slice(1) : blocks;
  return summarizeText(rest.filter(isOwnText).map(({ text }) => text));
}

function isSubstantial(block: TextBlock): boolean {
  return isOwnText(block) && codePoints(block.text) >= SUBSTANTIAL;
}

function isOwnText(block: TextBlock): boolean {
  return block.linked <= block.text.length * MOST_LINKED;
}

/** The first line became the title and need not be said twice. */
function needsFirstLine(found: Candidates): boolean {
  const first = found.blocks[0]?.text ?? '';
  const hasHeading = [...found.headings.values()].some((texts) => texts.some((text) => text.trim() !== ''));
  return !hasHeading && codePoints(first) <= LONGEST_TITLE && found.blocks.length > 1;
}
