import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

const MAX_ATTRIBUTES = 256;
/** Characters of one attribute value; room for pictures written as data URLs. */
const MAX_ATTRIBUTE_LENGTH = 2_097_152;
const MAX_NAME_LENGTH = 200;
/** Tags, attributes, text runs and entities of one page; pages of two megabytes hold fewer. */
const MAX_TOKENS = 300_000;

/** Attributes by lower-case name; the first of equal names counts, as in browsers. */
export type Attributes = ReadonlyMap<string, string>;

/** What a page reader is told, in document order. */
export interface TagHandler {
  /** Attribute names worth reading; all others are skipped unread. */
  readonly attributeNames: ReadonlySet<string>;
  openTag(name: string, attributes: Attributes): void;
  closeTag(name: string): void;
  /** One run of text, entities decoded; several runs may make one text. */
  text(data: string): void;
  comment(): void;
}

/**
 * Reads tags, attributes and text from pieces of a page by the HTML tokenizer's rules, without a tree, in memory
 * bounded by two pieces. Stops for good (`stopped`) after 300,000 tokens.
 */
export class TagReader {
  private readonly tokens: TokenSink;
  private readonly tokenizer: Tokenizer;

  constructor(handler: TagHandler) {
    this.tokens = new TokenSink(handler, () => this.stop());
    this.tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, this.tokens);
  }

  get stopped(): boolean {
    return !this.tokenizer.running;
  }

  write(piece: string): void {
    if (this.stopped) return;
    this.tokens.take(piece);
    this.tokenizer.write(piece);
  }

  end(): void {
    this.tokenizer.end();
  }

  stop(): void {
    this.tokenizer.pause();
  }
}

const NO_ATTRIBUTES: Attributes = new Map();

class TokenSink implements TokenizerCallbacks {
  private previous = '';
  private current = '';
  private currentStart = 0;
  private tokens = 0;
  private tagName = '';
  private attributes: Map<string, string> | null = null;
  private attributeCount = 0;
  private attributeName: string | null = null;
  private attributeValue = '';

  constructor(
    private readonly handler: TagHandler,
    private readonly stop: () => void,
  ) {}

  take(piece: string): void {
    this.currentStart += this.current.length;
    this.previous = this.current;
    this.current = piece;
  }

  ontext(start: number, end: number): void {
    this.count();
    this.handler.text(this.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.count();
    this.handler.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.count();
    this.tagName = this.name(start, end);
    this.attributes = null;
    this.attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    this.count();
    this.attributeCount += 1;
    this.attributeValue = '';
    this.attributeName = null;
    if (this.attributeCount > MAX_ATTRIBUTES) return;
    const name = this.name(start, end);
    if (this.handler.attributeNames.has(name)) this.attributeName = name;
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName === null || this.attributeValue.length > MAX_ATTRIBUTE_LENGTH) return;
    this.attributeValue += this.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.count();
    if (this.attributeName !== null) this.attributeValue += String.fromCodePoint(codePoint);
  }

  onattribend(_quote: QuoteType): void {
    const name = this.attributeName;
    if (name === null || this.attributeValue.length > MAX_ATTRIBUTE_LENGTH) return;
    this.attributes ??= new Map();
    if (!this.attributes.has(name)) this.attributes.set(name, this.attributeValue);
  }

  onopentagend(): void {
    this.handler.openTag(this.tagName, this.attributes ?? NO_ATTRIBUTES);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    if (FOREIGN_LEAVES.has(this.tagName)) this.handler.closeTag(this.tagName);
  }

  onclosetag(start: number, end: number): void {
    this.count();
    this.handler.closeTag(this.name(start, end));
  }

  oncomment(): void {
    this.count();
    this.handler.comment();
  }

  oncdata(): void {
    this.oncomment();
  }

  ondeclaration(): void {
    this.count();
  }

  onprocessinginstruction(): void {
    this.oncomment();
  }

  onend(): void {}

  private count(): void {
    this.tokens += 1;
    if (this.tokens > MAX_TOKENS) this.stop();
  }

  private name(start: number, end: number): string {
    return end - start > MAX_NAME_LENGTH ? '' : this.slice(start, end).toLowerCase();
  }

  /** What began before the piece before this one is lost: only a name or comment of 16 kB can. */
  private slice(start: number, end: number): string {
    const from = start - this.currentStart;
    const to = end - this.currentStart;
    if (from >= 0) return this.current.slice(from, to);
    const before = this.previous.slice(
      Math.max(0, this.previous.length + from),
      this.previous.length + Math.min(0, to),
    );
    return to > 0 ? before + this.current.slice(0, to) : before;
  }
}

/** Elements written as `<svg/>`, `<path/>` … end at once; in HTML proper the slash means nothing. */
const FOREIGN_LEAVES = new Set([
  'svg',
  'math',
  'path',
  'use',
  'circle',
  'rect',
  'g',
  'polygon',
  'line',
  'ellipse',
]);
