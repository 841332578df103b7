import { cutAtWord, visibleText } from '../../charset/visible-text.js';
import { isBoilerplate } from './boilerplate.js';
import type { Page } from '../dom/page.js';
import { TIER, type ContentTier } from './content-tier.js';
import { SUBSTANTIAL, textWidth, type TextBlock } from './text-blocks.js';
import { summarizeText } from './summary.js';

const LONGEST_TITLE = 100;
/** A line of this width is no byline, and a text without one is a list. */
const LINE_OF_TEXT = 40;
/** A text of this width that ends like a sentence is one. */
const SENTENCE = 30;
const SENTENCE_END = /[.!?…。！？][)"”’»」』]?$/;
const FIRST_SENTENCE = /^.{20,98}?(?:[.!?](?= \p{Lu})|[。！？])/u;
const HAS_LETTER = /[\p{L}\p{N}]/u;
const SEPARATOR_BEHIND = /^\s{0,3}[-|–—:·•«»/]/;
const SEPARATOR_BEFORE = /[-|–—:·•«»/]\s{0,3}$/;
/** Several words of a few ideographs each, or between bars: a menu. */
const MENU =
  /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{1,5}(?:[ |·/][\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{1,5}){1,30}$|^[^|]{1,30}(?:\|[^|]{1,30}){2,30}$/u;

/** A title for a page without any heading: its first line. Null on a page without text. */
export function titleByText({ body: { blocks } }: Page): string | null {
  const isFit = ({ text }: TextBlock): boolean => !isBoilerplate(text, null);
  const isIn = (block: TextBlock, tier: ContentTier): boolean =>
    block.tier === tier && isOwnText(block) && isFit(block);
  const first =
    blocks.find((block) => block.isContent && isIn(block, TIER.main)) ??
    blocks.find((block) => isIn(block, TIER.main)) ??
    blocks.find((block) => isIn(block, TIER.aside)) ??
    blocks.find((block) => isIn(block, TIER.margin) && isSubstantial(block)) ??
    blocks.find((block) => block.tier === TIER.main && isFit(block));
  const line = first?.text.split('\n').find((each) => HAS_LETTER.test(each)) ?? null;
  return line === null ? null : cutAtWord(firstSentence(line), LONGEST_TITLE);
}

/** Of a text that has several, when it would do for a title. */
function firstSentence(line: string): string {
  return textWidth(line) < SUBSTANTIAL ? line : (FIRST_SENTENCE.exec(line)?.[0] ?? line);
}

/**
 * A description for a page without one: its first substantial paragraph, inside the article where the page marks
 * one, else behind its heading, else anywhere; else as much text as a summary takes. Text in places that are not
 * read (hidden ones, menus) is the last resort. Never says the `title` of the preview again, nor what sites write
 * on all pages. Null on a page without any other text.
 */
export function describeByText(page: Page, title: string | null): string | null {
  const mainHeadings = new Set(page.headings('h1').map(visibleText));
  const own = page.body.blocks
    .filter(isOwnText)
    .map((block) => withoutTitle(block, title, mainHeadings))
    .filter((block) => block !== null);
  // Asked of few blocks, as it costs more than all else.
  const isFit = ({ text }: TextBlock): boolean => !isBoilerplate(text, title);
  const blocksOf = (tier: ContentTier): TextBlock[] => own.filter((block) => block.tier === tier);
  const [text, beside, margin] = [blocksOf(TIER.main), blocksOf(TIER.aside), blocksOf(TIER.margin)];
  return (
    paragraphOf(text, isFit) ??
    summaryOf(text.filter(isFit)) ??
    paragraphOf(beside, isFit) ??
    summaryOf(beside.filter(isFit)) ??
    paragraphOf(margin, isFit)
  );
}

type Test = (block: TextBlock) => boolean;

/** The best of the substantial ones. */
function paragraphOf(blocks: readonly TextBlock[], isFit: Test): string | null {
  const content = blocks.filter(({ isContent }) => isContent);
  const best = firstParagraph(content, isFit);
  if (best === null && content.some((block) => isSentence(block) && isFit(block))) {
    return summaryOf(content.filter(isFit));
  }
  const afterHeading = blocks.filter(({ isAfterHeading }) => isAfterHeading);
  const chosen = best ?? firstParagraph(afterHeading, isFit) ?? firstParagraph(blocks, isFit);
  return chosen === null ? null : summarizeText([chosen.text]);
}

function firstParagraph(blocks: readonly TextBlock[], isFit: Test): TextBlock | null {
  const substantial = blocks.filter(isSubstantial);
  return substantial.find((block) => block.isParagraph && isFit(block)) ?? substantial.find(isFit) ?? null;
}

/** From the first sentence on, where there is one. */
function summaryOf(blocks: readonly TextBlock[]): string | null {
  const start = Math.max(0, blocks.findIndex(isSentence));
  return summarizeText(blocks.slice(start).map(({ text }) => text));
}

/** Null for the title itself, or the heading that a page title adds the name of its site to. */
function withoutTitle(
  block: TextBlock,
  title: string | null,
  mainHeadings: ReadonlySet<string>,
): TextBlock | null {
  if (title === null || title === '') return block;
  if (isTitle(block.text, title, mainHeadings)) return null;
  const end = block.text.indexOf('\n');
  const isTitled = end !== -1 && isTitle(block.text.slice(0, end), title, mainHeadings);
  return isTitled ? { ...block, text: block.text.slice(end + 1) } : block;
}

function isTitle(text: string, title: string, mainHeadings: ReadonlySet<string>): boolean {
  if (text.length > 2 * title.length + 20) return false;
  const line = visibleText(text);
  if (line === '' || line === title) return true;
  if (title.endsWith(line)) return SEPARATOR_BEFORE.test(title.slice(0, -line.length));
  if (!title.startsWith(line)) return false;
  return SEPARATOR_BEHIND.test(title.slice(line.length)) || mainHeadings.has(line);
}

function isSubstantial({ text }: TextBlock): boolean {
  if (textWidth(text) < SUBSTANTIAL) return false;
  return !text.includes('\n') || text.split('\n').some((line) => textWidth(line) >= LINE_OF_TEXT);
}

function isSentence({ text }: TextBlock): boolean {
  return SENTENCE_END.test(text) && textWidth(text) >= SENTENCE;
}

/** No menu: neither links nor bare words in a row. */
function isOwnText({ text, isMenu }: TextBlock): boolean {
  return !isMenu && !MENU.test(text.slice(0, 200));
}
