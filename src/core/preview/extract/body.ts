import { isText, type Element, type Text } from 'domhandler';

import { SUBSTANTIAL, textWidth } from './values.js';
import {
  contextInside,
  isBlock,
  isKept,
  PAGE_CONTEXT,
  TIER,
  type ContentTier,
  type ElementContext,
} from './elements.js';

/** Characters read of one text, and kept of one block. */
const MAX_READ = 40_000;
const MAX_LENGTH = 1_500;
/** Of one kind, so that no number of others hides it: see `kindOf`. */
const MAX_BLOCKS = 150;
const MAX_TEXT = 30_000;
/** Links in a row are a menu, and nothing that is read first. */
const MAX_MENUS = 10;
const MOST_LINKED = 0.5;
const BLANKS = /\s+/g;

/** One block of running text, inline tags merged, blanks collapsed. */
export interface TextBlock {
  /** Holds line breaks where the page shows them. */
  readonly text: string;
  /** More than half of it is inside links. */
  readonly isMenu: boolean;
  readonly isParagraph: boolean;
  readonly isContent: boolean;
  /** Behind the start of the first h1. */
  readonly isAfterHeading: boolean;
  readonly tier: ContentTier;
}

/** The block of text being read, of one content tier; blocks that end go to `done`. */
class PendingBlock {
  isAfterHeading = false;
  private text = '';
  /** Of the last character; asking the text itself would copy it together for every run. */
  private ending: 'text' | 'blank' | 'line' = 'blank';
  private linked = 0;
  private context: ElementContext | null = null;
  private readonly kinds = new Map<string, { blocks: number; text: number }>();

  constructor(
    private readonly done: TextBlock[],
    private readonly tier: ContentTier,
  ) {}

  /** `hasLines`: line breaks count. */
  add(data: string, context: ElementContext, hasLines: boolean): void {
    const text = data.slice(0, MAX_READ);
    for (const [index, line] of (hasLines ? text.split('\n') : [text]).entries()) {
      if (index > 0) this.breakLine();
      if (!hasLines || (line !== '' && line !== ' ')) this.addRun(line.replace(BLANKS, ' '), context);
    }
  }

  private addRun(text: string, context: ElementContext): void {
    if (this.text.length >= MAX_LENGTH) return;
    const added = this.ending === 'text' || !text.startsWith(' ') ? text : text.slice(1);
    if (added === '') return;
    this.text += added;
    this.ending = added.endsWith(' ') ? 'blank' : 'text';
    this.context ??= context;
    if (context.inLink) this.linked += added.length;
  }

  /** Keeps words around a line break apart; two in a row end a block. */
  breakLine(): void {
    if (this.text === '') return;
    if (this.ending === 'line') return this.end();
    this.text += '\n';
    this.ending = 'line';
  }

  end(): void {
    if (this.text === '') return;
    const { linked, context, text: raw } = this;
    this.text = '';
    this.ending = 'blank';
    this.linked = 0;
    this.context = null;
    const text = (raw.includes('\n') ? raw.replace(/ ?\n ?/g, '\n') : raw).trim();
    if (text === '' || context === null) return;
    const block = {
      text,
      isMenu: linked > text.length * MOST_LINKED,
      isParagraph: context.inParagraph,
      isContent: context.inContent,
      isAfterHeading: this.isAfterHeading,
      tier: this.tier,
    };
    if (this.hasRoomFor(block)) this.done.push(block);
  }

  private hasRoomFor(block: TextBlock): boolean {
    const kind = kindOf(block);
    const taken = this.kinds.get(kind) ?? { blocks: 0, text: 0 };
    const most = block.isMenu ? MAX_MENUS : MAX_BLOCKS;
    if (taken.blocks >= most || taken.text >= MAX_TEXT) return false;
    this.kinds.set(kind, { blocks: taken.blocks + 1, text: taken.text + block.text.length });
    return true;
  }
}

/** What a description is chosen by, so that each of them has room of its own. */
function kindOf({ isMenu, isContent, isAfterHeading, text }: TextBlock): string {
  if (isMenu) return 'menu';
  return `${textWidth(text) >= SUBSTANTIAL} ${isContent ? 'content' : isAfterHeading}`;
}

/** Images of each region, so that no number of others hides those of the content. */
const MAX_IMAGES = 300;
const MAX_SETS = 6;
const MAX_SET_LENGTH = 4_096;

/** One image of the page's body. */
export interface ImageTag {
  readonly element: Element;
  readonly region: 'content' | 'body' | 'margin';
  readonly inNoscript: boolean;
  /** What the sources of the picture element around it offer. */
  readonly sets: readonly string[];
}

/** Gathers the images of a body, in document order. */
class ImageCollector {
  readonly images: ImageTag[] = [];
  private readonly counts = new Map<string, number>();

  /** Keeps the image that an element is, or what it offers to the picture element around it. */
  add(element: Element, { tier, inContent, inNoscript, sets }: ElementContext): void {
    const { name, attribs } = element;
    if (name === 'source' && sets !== null && sets.length < MAX_SETS) {
      const set = attribs['srcset'] ?? attribs['data-srcset'] ?? '';
      const isRare = /avif|jxl|heic/i.test(attribs['type'] ?? '');
      // Formats that few clients show come last.
      if (set !== '' && set.length <= MAX_SET_LENGTH) sets.splice(isRare ? sets.length : 0, 0, set);
    }
    const isImage = name === 'img' || name === 'amp-img' || name === 'amp-anim' || name === 'video';
    if (!isImage || !isKept(attribs['src'] ?? '')) return;
    const region = tier > TIER.main && !inNoscript ? 'margin' : inContent ? 'content' : 'body';
    const count = (this.counts.get(region) ?? 0) + 1;
    this.counts.set(region, count);
    if (count <= MAX_IMAGES) this.images.push({ element, region, inNoscript, sets: sets ?? [] });
  }
}

/** Enough to tell a page from an interstitial. */
const MAX_TEXT_LENGTH = 10_000;
const NO_LAYOUT = new Set('html head body noframes'.split(' '));

/** What a walk over a page finds in it, in document order. */
export interface PageBody {
  readonly blocks: readonly TextBlock[];
  readonly images: readonly ImageTag[];
  /** Characters of visible text, roughly; not counted beyond 10,000. */
  readonly textLength: number;
}

/** Reads text and images of a page, those that `enhanced` chooses from. */
export function readBody(root: Element): PageBody {
  const blocks: TextBlock[] = [];
  // What stands beside the text, in the midst of a sentence even, does not get into it: each tier has its own.
  const pending = [TIER.main, TIER.aside, TIER.margin].map((tier) => new PendingBlock(blocks, tier));
  const end = (): void => {
    for (const block of pending) block.end();
  };
  const images = new ImageCollector();
  let textLength = 0;
  // Until a tag lays the body out, its line breaks do.
  let isPlainText = true;
  walk(root, {
    enter: (element, context) => {
      const { name } = element;
      if (isBlock(name)) end();
      if (name === 'br') for (const block of pending) block.breakLine();
      if (name === 'br' || (isBlock(name) && !NO_LAYOUT.has(name))) isPlainText = false;
      if (name === 'h1') for (const block of pending) block.isAfterHeading = true;
      images.add(element, context);
    },
    text: ({ data }, context) => {
      if (context.isNodeText && textLength < MAX_TEXT_LENGTH) textLength += data.trim().length;
      pending[context.tier]?.add(data, context, context.hasLines || isPlainText);
    },
    leave: ({ name }) => {
      if (isBlock(name)) end();
    },
  });
  end();
  return { blocks, images: images.images, textLength };
}

/** What is done at each node, with what stands around it. */
interface Visitor {
  text(text: Text, context: ElementContext): void;
  enter?(element: Element, context: ElementContext): void;
  leave?(element: Element): void;
}

/** Visits the elements and texts of a page in document order; the parser bounds how deep it goes. */
function walk(parent: Element, visitor: Visitor, context: ElementContext = PAGE_CONTEXT): void {
  for (const node of parent.children) {
    if (isText(node)) visitor.text(node, context);
    if (!('attribs' in node)) continue;
    visitor.enter?.(node, context);
    if (node.children.length > 0) walk(node, visitor, contextInside(context, node));
    visitor.leave?.(node);
  }
}

/** More than a summary ever reads: of one text, and of all. */
const MAX_NODE_LENGTH = 2_000;
const MAX_NODES_LENGTH = 1_000;

/** Texts of a page outside of menus and the like, each by itself as `standard` reads them, as many as a summary can use. */
export function textNodes(root: Element): string[] {
  const texts: string[] = [];
  let length = 0;
  walk(root, {
    text: ({ data, parent }, { isNodeText }) => {
      const isTitle = parent !== null && 'name' in parent && parent.name === 'title';
      if (!isNodeText || isTitle || length >= MAX_NODES_LENGTH) return;
      const text = data.slice(0, MAX_NODE_LENGTH).replaceAll(/\s+/g, ' ').trim();
      length += text.length;
      if (text !== '') texts.push(text);
    },
  });
  return texts;
}
