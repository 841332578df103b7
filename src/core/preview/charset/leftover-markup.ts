import { isQuoted } from './double-escapes.js';

const MAX_TAGS = 200;
const INLINE = 'b|i|u|s|em|strong|span|a|sup|sub|small|cite|font|code|mark';
const BLOCK = 'p|div|ul|ol|li|h[1-6]|figure|blockquote|center';
/** Tags that authors leave in texts. Never crosses another tag. */
const TAG = new RegExp(`<(/?)(${INLINE}|${BLOCK}|br|img)((?:\\s[^<>]{0,500}|/)?)>`, 'gi');
const IS_INLINE = new RegExp(`^(?:${INLINE})$`);
/** Words of texts about markup, in which a tag may be mentioned. */
const ABOUT_MARKUP = /\b(?:html|xml|css|jsx|tags?|elements?|attributes?|markup)\b/i;
const SENTENCE_END = /[.!?:;…>]/;
/** How a sentence begins. */
const BEGINNING = /[\p{Lu}\p{Lt}\p{Lo}\p{N}\p{Pi}\p{Ps}"'¿¡<]/u;

interface Tag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isClosing: boolean;
  readonly hasValues: boolean;
}

/**
 * `text` without the tags its author or their tools left in it: pairs around a text, a paragraph's tag at either end,
 * line breaks between words. A tag that is mentioned stays (`the <p> tag`, `<br>: the line break`). Inline tags leave
 * nothing behind, others a blank.
 */
export function withoutLeftoverMarkup(text: string): string {
  const tags = tagsOf(text);
  if (tags.length === 0) return text;
  const pairs = pairsOf(tags);
  const leftover = new Set(pairs.filter(([opening, closing]) => isAround(opening, closing, text)).flat());
  const paired = new Set(pairs.flat());
  for (const tag of tags) if (!paired.has(tag) && isLeftoverAlone(tag, text)) leftover.add(tag);
  const isMarkedUp = leftover.size > 0 || !ABOUT_MARKUP.test(text);
  const parts: string[] = [];
  let from = 0;
  for (const tag of tags) {
    const isBreak = tag.name === 'br' && isMarkedUp && tag.start > 0 && !isQuoted(text, tag.start, tag.end);
    if (!leftover.has(tag) && !isBreak) continue;
    parts.push(text.slice(from, tag.start), IS_INLINE.test(tag.name) ? '' : ' ');
    from = tag.end;
  }
  return parts.join('') + text.slice(from);
}

function tagsOf(text: string): Tag[] {
  const tags: Tag[] = [];
  for (const match of text.matchAll(TAG)) {
    if (tags.length >= MAX_TAGS) break;
    const [whole, slash, name = '', attributes = ''] = match;
    tags.push({
      name: name.toLowerCase(),
      start: match.index,
      end: match.index + whole.length,
      isClosing: slash === '/',
      hasValues: attributes.includes('='),
    });
  }
  return tags;
}

/** Opening and closing tags that belong together. */
function pairsOf(tags: readonly Tag[]): [Tag, Tag][] {
  const pairs: [Tag, Tag][] = [];
  const open: Tag[] = [];
  for (const tag of tags) {
    if (!tag.isClosing) {
      open.push(tag);
      continue;
    }
    const at = open.findLastIndex(({ name }) => name === tag.name);
    const opening = open[at];
    if (opening === undefined) continue;
    open.length = at;
    pairs.push([opening, tag]);
  }
  return pairs;
}

/** Do the tags mark up what is between them? Mentioned ones stand as words, with blanks around. */
function isAround(opening: Tag, closing: Tag, text: string): boolean {
  if (isQuoted(text, opening.start, opening.end) || isQuoted(text, closing.start, closing.end)) return false;
  const isTight = text.charAt(opening.end).trim() !== '' && text.charAt(closing.start - 1).trim() !== '';
  if (IS_INLINE.test(opening.name)) return isTight || opening.hasValues;
  const before = text.slice(Math.max(0, opening.start - 100), opening.start);
  const begins = before.trim() === '' || SENTENCE_END.test(before.trim().slice(-1)) || !/\s$/.test(before);
  const ends = text.slice(closing.end, closing.end + 100).trim() === '';
  return begins && (isTight || ends || opening.hasValues);
}

/** A break or image between words, a paragraph's tag whose other half was cut off. */
function isLeftoverAlone(tag: Tag, text: string): boolean {
  if (isQuoted(text, tag.start, tag.end)) return false;
  const before = text.charAt(tag.start - 1);
  const after = text.charAt(tag.end);
  if (tag.name === 'br') return /[\p{L}\p{N}.,!?;)>]/u.test(before) || /[\p{L}\p{N}<]/u.test(after);
  if (tag.name === 'img') return tag.hasValues;
  if (tag.isClosing) return /[^\s`('"“]/.test(before);
  return (
    (tag.start === 0 || before === '>') && (BEGINNING.test(after) || (tag.hasValues && after.trim() !== ''))
  );
}
