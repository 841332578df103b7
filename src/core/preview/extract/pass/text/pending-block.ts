import { decodeHTML } from 'entities';
import type { TextBlock } from '../candidates.js';
import type { ContentTier } from './content-tier.js';

const MAX_LENGTH = 1_500;
const BLANKS_OF_LINE = /[^\S\n]+/g;

interface Limits {
  readonly tier: ContentTier;
  readonly maxBlocks: number;
  /** Characters in all. */
  readonly maxText: number;
}

/** Where a run of text of a block stands. */
interface RunContext {
  readonly inLink: boolean;
  readonly inContent: boolean;
  readonly inParagraph: boolean;
}

/** The block of text being read, of one content tier; blocks that end go to `done`, as many as the limits allow. */
export class PendingBlock {
  isAfterHeading = false;
  private text = '';
  /** Of the last character; asking the text itself would copy it together for every run. */
  private ending: 'text' | 'blank' | 'line' = 'blank';
  private linked = 0;
  private context: RunContext | null = null;
  private blocks = 0;
  private total = 0;

  constructor(
    private readonly done: TextBlock[],
    private readonly limits: Limits,
  ) {}

  get isOpen(): boolean {
    return this.total < this.limits.maxText && this.text.length < MAX_LENGTH;
  }

  /** `text` has its blanks collapsed, its entities not decoded. */
  add(text: string, context: RunContext): void {
    if (!this.isOpen) return;
    const isApart = this.ending === 'text';
    const added = isApart || !text.startsWith(' ') ? text : text.slice(1);
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
    const text = finished(this.text);
    const { linked, context, limits } = this;
    this.text = '';
    this.ending = 'blank';
    this.linked = 0;
    this.context = null;
    if (text === '' || context === null || this.blocks >= limits.maxBlocks) return;
    this.blocks += 1;
    this.total += text.length;
    this.done.push({
      text,
      linked,
      isParagraph: context.inParagraph,
      isContent: context.inContent,
      isAfterHeading: this.isAfterHeading,
      tier: limits.tier,
    });
  }
}

/** Entities can be decoded only when a text is whole: one may be spread over several runs. */
function finished(text: string): string {
  const plain = text.includes('&') ? decodeHTML(text).replace(BLANKS_OF_LINE, ' ') : text;
  return (plain.includes('\n') ? plain.replace(/ ?\n ?/g, '\n') : plain).trim();
}
