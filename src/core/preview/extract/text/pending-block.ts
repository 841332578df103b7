import type { ElementContext } from '../dom/element-context.js';
import { textWidth } from './text-width.js';
import { TIER, type ContentTier } from './content-tier.js';

/** Characters of one block. */
const MAX_LENGTH = 1_500;
/** Of one kind, so that no number of others hides it: see `kindOf`. */
const MAX_BLOCKS = 150;
const MAX_TEXT = 30_000;
/** Links in a row are a menu, and nothing that is read first. */
const MAX_MENUS = 10;
/** A paragraph of this width says something; shorter ones are bylines, dates and captions. */
export const SUBSTANTIAL = 80;
const MOST_LINKED = 0.5;

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

  /** `text` has its blanks collapsed. */
  add(text: string, context: ElementContext): void {
    if (this.text.length >= MAX_LENGTH) return;
    const added = this.ending === 'text' || !text.startsWith(' ') ? text : text.slice(1);
    if (added === '') return;
    this.text += added;
    this.ending = added.endsWith(' ') ? 'blank' : 'text';
    this.context ??= context;
    if (context.inLink) this.linked += added.length;
  }

  breakLine(): void {
    if (this.text === '') return;
    if (this.ending === 'line') {
      this.end();
      return;
    }
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

/** What a description is chosen by, best first, so that each of them has room of its own. */
function kindOf({ isMenu, isContent, isAfterHeading, text }: TextBlock): string {
  if (isMenu) return 'menu';
  const width = textWidth(text) < SUBSTANTIAL ? 'short' : 'substantial';
  return `${width} ${isContent ? 'content' : isAfterHeading ? 'after heading' : 'elsewhere'}`;
}

/** One for each tier of text: what stands beside the text, in the midst of a sentence even, does not get into it. */
export function pendingBlocks(done: TextBlock[]): readonly PendingBlock[] {
  return [TIER.main, TIER.aside, TIER.margin].map((tier) => new PendingBlock(done, tier));
}
