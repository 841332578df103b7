import { codePoints, cutAtWord, visibleText } from '../charset/visible-text.js';
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
 * one; else as much text as a summary takes. What says the `title` of the preview again is left out where
 * there is more. Null on a page without text.
 */
export function describeByText(found: Candidates, title: string | null): string | null {
  const own = found.blocks.filter((block) => !isTitle(block, title, found));
  for (const blocks of [own.filter(({ isContent }) => isContent), own]) {
    const first =
      blocks.find((block) => block.isParagraph && isSubstantial(block)) ?? blocks.find(isSubstantial);
    if (first !== undefined) return summarizeText([first.text]);
  }
  return summaryOf(own) ?? summaryOf(found.blocks);
}

function summaryOf(blocks: readonly TextBlock[]): string | null {
  return summarizeText(blocks.filter(isOwnText).map(({ text }) => text));
}

/** The title itself, or the heading that a page title adds the name of its site to. */
function isTitle({ text }: TextBlock, title: string | null, { headings }: Candidates): boolean {
  const line = title === null ? '' : visibleText(text);
  if (line === '' || title?.startsWith(line) !== true) return false;
  return line === title || (headings.get('h1') ?? []).some((heading) => visibleText(heading) === line);
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
