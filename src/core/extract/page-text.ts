import { codePoints, cutAtWord } from '../charset/visible-text.js';
import type { Candidates, TextBlock } from './pass/candidates.js';
import { summarizeText } from './summary.js';

const LONGEST_TITLE = 100;
/** A paragraph of this length says something; shorter ones are bylines, dates and captions. */
const SUBSTANTIAL = 80;
const MOST_LINKED = 0.5;

/** A title for a page without any heading: its first line. Null on a page without text. */
export function titleByText(found: Candidates): string | null {
  const line = firstLine(found);
  return line === null ? null : cutAtWord(line.text, LONGEST_TITLE);
}

/**
 * A description for a page without one: its first substantial paragraph, inside the article where the page marks
 * one; else as much text as a summary takes. Null on a page without text.
 */
export function describeByText(found: Candidates): string | null {
  for (const blocks of [found.blocks.filter(({ isContent }) => isContent), found.blocks]) {
    const first =
      blocks.find((block) => block.isParagraph && isSubstantial(block)) ?? blocks.find(isSubstantial);
    if (first !== undefined) return summarizeText([first.text]);
  }
  const title = hasHeading(found) ? null : firstLine(found);
  const isSaidTwice = title !== null && codePoints(title.text) <= LONGEST_TITLE && found.blocks.length > 1;
  const rest = found.blocks.filter((block) => isOwnText(block) && !(isSaidTwice && block === title));
  return summarizeText(rest.map(({ text }) => text));
}

/** Of the article where the page marks one; lists of links are menus. */
function firstLine({ blocks }: Candidates): TextBlock | null {
  return (
    blocks.find((block) => block.isContent && isOwnText(block)) ?? blocks.find(isOwnText) ?? blocks[0] ?? null
  );
}

function isSubstantial(block: TextBlock): boolean {
  return isOwnText(block) && codePoints(block.text) >= SUBSTANTIAL;
}

function isOwnText(block: TextBlock): boolean {
  return block.linked <= block.text.length * MOST_LINKED;
}

function hasHeading(found: Candidates): boolean {
  return [...found.headings.values()].some((texts) => texts.some((text) => text.trim() !== ''));
}
