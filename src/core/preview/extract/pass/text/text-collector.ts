import { decodeHTML } from 'entities';
import type { Candidates } from '../candidates.js';
import { TIER, type ContentTier } from './content-tier.js';
import { PendingBlock } from './pending-block.js';

const MAX_NODE_LENGTH = 2_000;
/** More than a summary ever reads. */
const MAX_NODE_TEXT = 1_000;
const MAX_BLOCK_TEXT = 40_000;
const BLANKS = /\s+/g;

/** Where a run of body text stands. */
export interface TextContext {
  readonly inLink: boolean;
  readonly inContent: boolean;
  readonly inParagraph: boolean;
  /** Outside of what `standard` skips. */
  readonly isNodeText: boolean;
  readonly tier: ContentTier;
  /** Line breaks count, as in a text without tags. */
  readonly hasLines: boolean;
}

/** Gathers body text twice: as text nodes (`standard`) and as blocks with inline tags merged (`enhanced`). */
export class TextCollector {
  /** Whether blocks are read: from the first tag on, or no longer. */
  wantsBlocks: boolean;
  private readonly wantsNodes: boolean;
  private node = '';
  private nodeTotal = 0;
  /** By content tier: what stands beside the text, in the midst of a sentence even, does not get into it. */
  private readonly pending: readonly PendingBlock[];

  constructor(
    private readonly found: Candidates,
    mode: 'standard' | 'enhanced',
  ) {
    this.wantsBlocks = mode === 'enhanced';
    this.wantsNodes = mode === 'standard';
    this.pending = [
      new PendingBlock(found.blocks, { tier: TIER.main, maxBlocks: 200, maxText: 40_000 }),
      new PendingBlock(found.blocks, { tier: TIER.aside, maxBlocks: 50, maxText: 10_000 }),
      new PendingBlock(found.blocks, { tier: TIER.margin, maxBlocks: 50, maxText: 10_000 }),
    ];
  }

  /** From here on no block is needed. */
  skipBlocks(): void {
    this.wantsBlocks = false;
  }

  /** From here on blocks stand after the main heading. */
  passHeading(): void {
    for (const block of this.pending) block.isAfterHeading = true;
  }

  add(data: string, context: TextContext, hasLines: boolean): void {
    if (this.wantsNodes) this.addNode(data, context);
    const block = this.wantsBlocks ? this.pending[context.tier] : undefined;
    if (block?.isOpen !== true) return;
    if (!hasLines || !data.includes('\n')) {
      block.add(data.replace(BLANKS, ' '), context);
      return;
    }
    let isFirst = true;
    for (const line of data.slice(0, MAX_BLOCK_TEXT).split('\n')) {
      if (!isFirst) block.breakLine();
      isFirst = false;
      if (!block.isOpen) return;
      if (line !== '' && line !== ' ') block.add(line.replace(BLANKS, ' '), context);
    }
  }

  /** Every tag and comment ends a text node; a tag that is not inline ends a block, too. */
  boundary(endsBlock: boolean): void {
    if (this.node !== '') this.endNode();
    if (endsBlock && this.wantsBlocks) for (const block of this.pending) block.end();
  }

  /** Keeps words around a line break apart; two in a row end a block. */
  lineBreak(): void {
    if (this.wantsBlocks) for (const block of this.pending) block.breakLine();
  }

  private addNode(data: string, context: TextContext): void {
    if (context.isNodeText && this.nodeTotal < MAX_NODE_TEXT && this.node.length < MAX_NODE_LENGTH)
      this.node += data.replace(BLANKS, ' ');
  }

  private endNode(): void {
    const text = this.node.includes('&')
      ? decodeHTML(this.node).replace(BLANKS, ' ').trim()
      : this.node.trim();
    this.node = '';
    if (text === '') return;
    this.nodeTotal += text.length;
    this.found.textNodes.push(text);
  }
}
