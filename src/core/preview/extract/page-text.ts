import { alternatives, cutAtWord, SUBSTANTIAL, summarizeText, textWidth, visibleText } from './values.js';
import type { TextBlock } from './body.js';
import { TIER, type ContentTier } from './elements.js';
import type { Page } from './page.js';

const LONGEST_TITLE = 100;
/** A line of this width is no byline, and a text without one is a list. */
const LINE_OF_TEXT = 40;
/** A text of this width that ends like a sentence is one. */
const SENTENCE = 30;
const SENTENCE_END = /[.!?…。！？][)"”’»」』]?$/;
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
  return line === null ? null : cutAtWord(line, LONGEST_TITLE);
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

function paragraphOf(blocks: readonly TextBlock[], isFit: Test): string | null {
  const content = blocks.filter(({ isContent }) => isContent);
  const afterHeading = blocks.filter(({ isAfterHeading }) => isAfterHeading);
  const best = firstParagraph(content, isFit);
  if (best === null && content.some((block) => isSentence(block) && isFit(block)))
    return summaryOf(content.filter(isFit));
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

const { raw } = String;
/** A notice says what it is at its start. */
const LOOKED_AT = 400;
/** A longer text is no line at the foot of a page. */
const LONGEST_FOOT = 250;

/** About cookies, the browser and its scripts, the visitor, and rights, in the languages that most sites write in. */
const NOTICE = new RegExp(
  alternatives(raw`
    ^©|^\(c\)|^copyright (?:©|\(c\)|(?:19|20)\d\d)|\ball rights reserved\b|\balle rechte vorbehalten\b
    \byou(?:r|['’]re| are)\b[^.!?]{0,30}\b(?:outdated|unsupported|old(?:er)?)\b[^.!?]{0,30}\bbrowser
    veralteten? (?:web)?browser|(?:upgrade|update) your (?:web ?)?browser
    browser (?:version )?(?:is|you are using is) (?:out[ -]of[ -]date|outdated|(?:not|no longer) supported)
    your (?:web ?)?browser (?:does not|doesn['’]t|can(?:no|['’])t) (?:support|play|display)
    (?:enable|turn on|allow|activate|requires?|needs?|without|aktivieren sie|benötigt|activer) java ?script
    java ?script (?:is|must be|has been|ist|est|está) (?:disabled|enabled|required|not|turned off|d[ée]sactiv\w+|deaktiviert)
    ^(?:hello|hi|welcome|willkommen)[ ,!]{1,3}(?:guest|visitor|gast)\b|\byou are (?:not|currently not) logged in\b
    ^(?:skip|jump) to (?:the )?(?:main |page )?(?:content|navigation|main|menu|search)\b|^zum inhalt springen
    ^(?:aller au contenu|(?:saltar|ir) al contenido)|^you must (?:be logged in|log in|login|register)\b
    ^(?:please )?(?:log ?in|sign in) (?:or|to) (?:register|sign up|create|continue|comment|post)\b`),
  'iu',
);
const SITE =
  'we|wir|nous|wij|vi|(?:web)?(?:sites?|seiten?)|page|blog|store|shop|app|portal|service|sito|sitio';
const USES =
  'uses?|using|usa|utilise|utilisons|utili[zs]es?|utiliza|utilizza|stores?|sets?|places?|verwende[nt]|nutz(?:en|t)|' +
  'setz(?:en|t)|gebruikt|gebruiken|använder|bruker|bruger|używa';
const BAKED = ' (?:dough|cutter|scoop|sheet|crumb|recipe|jar|batter)';
const PARTNERS = '(?:we(?: and|,? &) our|us and our|wir und unsere|nous et nos)';
const PRIVACY = new RegExp(
  alternatives(raw`
    (?<!\p{L})(?:${SITE})(?!\p{L})[^.!?]{0,40}(?<!\p{L})(?:${USES})(?!\p{L})[^.!?]{0,60}\bcookies?\b(?!${BAKED})
    (?<!\p{L})(?:utilizamos|usamos|utilizziamo|używamy|wykorzystujemy)\b[^.!?]{0,60}\bcookies?(?!\p{L})
    (?<!\p{L})(?:accept|allow|reject|manage) (?:all )?(?:the )?(?:use of )?cookies(?!\p{L})|cookie[^。]{0,40}[使利]用
    (?<!\p{L})${PARTNERS} (?:up to )?(?:[\d.,]{1,6} )?(?:[\w-]{1,20} )?(?:partner|vendor)
    \bcookies help us\b|\b(?:agree|consent) to (?:our|the) use of cookies\b
    \bwe (?:value|respect|care about) your privacy\b|\bstore and/or access information on a device\b`),
  'iu',
);
const PRIVACY_TITLE = /cookie|privacy|datenschutz|gdpr|dsgvo|confidentialité/i;

/**
 * Is a text one that sites write on all their pages: about cookies, the browser, the visitor, their rights?
 * What a page on privacy, by its `title`, says of cookies is its text.
 */
function isBoilerplate(text: string, title: string | null): boolean {
  const head = text.slice(0, LOOKED_AT);
  if (NOTICE.test(head) && (text.length <= LONGEST_FOOT || !/rights|rechte|©|copyright/i.test(head)))
    return true;
  return PRIVACY.test(head) && !PRIVACY_TITLE.test((title ?? '').slice(0, LOOKED_AT));
}
