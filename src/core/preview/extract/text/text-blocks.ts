import type { ElementContext } from '../dom/element-context.js';
import { pendingBlocks, type TextBlock } from './pending-block.js';

/** Characters read of one text. */
const MAX_LENGTH = 40_000;
const BLANKS = /\s+/g;

/** Gathers the blocks of a body, in document order, inline tags merged. */
export class TextBlocks {
  readonly done: TextBlock[] = [];
  private readonly pending = pendingBlocks(this.done);

  /** From here on blocks stand after the main heading. */
  passHeading(): void {
    for (const block of this.pending) block.isAfterHeading = true;
  }

  add(data: string, context: ElementContext, hasLines: boolean): void {
    const block = this.pending[context.tier];
    if (block === undefined) return;
    const text = data.slice(0, MAX_LENGTH);
    if (!hasLines || !text.includes('\n')) {
      block.add(text.replace(BLANKS, ' '), context);
      return;
    }
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) block.breakLine();
      if (line !== '' && line !== ' ') block.add(line.replace(BLANKS, ' '), context);
    }
  }

  end(): void {
    for (const block of this.pending) block.end();
  }

  /** Keeps words around a line break apart; two in a row end a block. */
  breakLine(): void {
    for (const block of this.pending) block.breakLine();
  }
}
