import { decodeHTML } from 'entities';
import type { Candidates } from './candidates.js';

const MAX_NODE_LENGTH = 2_000;
/** More than a summary ever reads. */
const MAX_NODE_TEXT = 1_000;
const MAX_BLOCKS = 200;
const MAX_BLOCK_TEXT = 40_000;
const MAX_PENDING = 1_500;
const BLANKS = /\s+/g;

/** Where a run of body text stands. */
export interface TextPlace {
  readonly inLink: boolean;
  readonly inContent: boolean;
  readonly inParagraph: boolean;
  /** Outside of what `standard` skips. */
  readonly isNodeText: boolean;
  /** Outside of what no reader would call the page's text. */
  readonly isBlockText: boolean;
}

/** Gathers body text twice: as text nodes (`standard`) and as blocks with inline tags merged (`enhanced`). */
export class TextCollector {
  private wantsBlocks: boolean;
  private readonly wantsNodes: boolean;
  private node = '';
  private nodeTotal = 0;
  private block = '';
  private blockLinked = 0;
  private blockTotal = 0;
  private blockPlace: TextPlace | null = null;

  constructor(
    private readonly found: Candidates,
    mode: 'standard' | 'enhanced',
  ) {
    this.wantsBlocks = mode === 'enhanced';
    this.wantsNodes = mode === 'standard';
  }

  /** From here on no block is needed. */
  skipBlocks(): void {
    this.wantsBlocks = false;
  }

  add(data: string, place: TextPlace): void {
    const wantsNode =
      this.wantsNodes &&
      place.isNodeText &&
      this.nodeTotal < MAX_NODE_TEXT &&
      this.node.length < MAX_NODE_LENGTH;
    const wantsBlock = place.isBlockText && this.isOpenForBlocks();
    if (!wantsNode && !wantsBlock) return;
    const text = data.replace(BLANKS, ' ');
    if (wantsNode) this.node += text;
    if (!wantsBlock) return;
    const follows = this.block !== '' && !this.block.endsWith(' ');
    const added = follows || !text.startsWith(' ') ? text : text.slice(1);
    if (added === '') return;
    this.block += added;
    this.blockPlace ??= place;
    if (place.inLink) this.blockLinked += added.length;
  }

  /** Every tag and comment ends a text node; a tag that is not inline ends a block, too. */
  boundary(endsBlock: boolean): void {
    if (this.node !== '') this.endNode();
    if (endsBlock && this.block !== '') this.endBlock();
  }

  /** Inside a block: keeps words around a line break apart. */
  lineBreak(): void {
    if (this.block !== '' && !this.block.endsWith(' ')) this.block += ' ';
  }

  private isOpenForBlocks(): boolean {
    return this.wantsBlocks && this.blockTotal < MAX_BLOCK_TEXT && this.block.length < MAX_PENDING;
  }

  private endNode(): void {
    const text = finished(this.node);
    this.node = '';
    if (text === '') return;
    this.nodeTotal += text.length;
    this.found.textNodes.push(text);
  }

  private endBlock(): void {
    const text = finished(this.block);
    const place = this.blockPlace;
    const linked = this.blockLinked;
    this.block = '';
    this.blockLinked = 0;
    this.blockPlace = null;
    if (text === '' || place === null || this.found.blocks.length >= MAX_BLOCKS) return;
    this.blockTotal += text.length;
    this.found.blocks.push({ text, linked, isParagraph: place.inParagraph, isContent: place.inContent });
  }
}

/** Entities can be decoded only when a text is whole: one may be spread over several runs. */
function finished(text: string): string {
  return text.includes('&') ? decodeHTML(text).replace(BLANKS, ' ').trim() : text.trim();
}
