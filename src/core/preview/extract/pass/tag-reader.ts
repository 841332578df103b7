import { decodeHTMLAttribute } from 'entities';
import { Tokenizer, type QuoteType, type TokenizerCallbacks } from 'htmlparser2';

const MAX_ATTRIBUTES = 256;
/** Characters of one attribute value. */
export const MAX_VALUE_LENGTH = 65_536;
/** The same for images written as data URLs. */
const MAX_DATA_LENGTH = 2_097_152;
const MAX_NAME_LENGTH = 200;
/** Tags, attributes and text runs of one page; a page of a megabyte holds a quarter of it. */
const MAX_TOKENS = 200_000;

/** Attributes by lower-case name; the first of equal names counts, as in browsers. */
export type Attributes = ReadonlyMap<string, string>;

/** What a page reader is told, in document order. */
export interface TagHandler {
  /** Attribute names worth reading; all others are skipped unread. */
  readonly attributeNames: ReadonlySet<string>;
  /** Tags of which every attribute is read. */
  readonly tagsReadWhole: ReadonlySet<string>;
  openTag(name: string, attributes: Attributes): void;
  /** Whether an element of that name ends at once when its tag ends in a slash, which in HTML means nothing. */
  endsAtSlash(name: string): boolean;
  closeTag(name: string): void;
  /** One run of text, entities not decoded yet; several runs may make one text. */
  text(data: string): void;
  comment(): void;
}

/**
 * Reads tags, attributes and text from pieces of a page by the HTML tokenizer's rules, without a tree, in memory
 * bounded by two pieces. Entities are decoded in the attributes read, and left in texts, few of which are kept. Stops
 * for good (`stopped`) after 200,000 tokens.
 */
export class TagReader {
  private readonly tokens: TokenSink;
  private readonly tokenizer: Tokenizer;

  constructor(handler: TagHandler) {
    this.tokens = new TokenSink(handler, () => this.stop());
    this.tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: false }, this.tokens);
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
  private readsWhole = false;
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

  /** Never called: the tokenizer decodes no entities. */
  ontextentity(): void {}

  onattribentity(): void {}

  onopentagname(start: number, end: number): void {
    this.count();
    this.tagName = this.name(start, end);
    this.readsWhole = this.handler.tagsReadWhole.has(this.tagName);
    this.attributes = null;
    this.attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    this.attributeCount += 1;
    this.attributeValue = '';
    this.attributeName = null;
    if (this.attributeCount > MAX_ATTRIBUTES) return;
    this.count();
    const name = this.name(start, end);
    if (this.readsWhole || this.handler.attributeNames.has(name)) this.attributeName = name;
  }

  onattribdata(start: number, end: number): void {
    if (this.attributeName === null || this.attributeValue.length > MAX_DATA_LENGTH) return;
    this.attributeValue += this.slice(start, end);
  }

  onattribend(_quote: QuoteType): void {
    const name = this.attributeName;
    const value = this.attributeValue;
    if (name === null || (value.length > MAX_VALUE_LENGTH && !isKeptWhole(value))) return;
    this.attributes ??= new Map();
    if (!this.attributes.has(name)) this.attributes.set(name, decoded(value));
  }

  onopentagend(): void {
    this.handler.openTag(this.tagName, this.attributes ?? NO_ATTRIBUTES);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    if (UNMANAGED_LEAVES.has(this.tagName) || this.handler.endsAtSlash(this.tagName))
      this.handler.closeTag(this.tagName);
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

function isKeptWhole(value: string): boolean {
  return value.startsWith('data:') && value.length <= MAX_DATA_LENGTH;
}

/** A data URL as long as an image holds no entities worth the work. */
function decoded(value: string): string {
  return value.includes('&') && value.length <= MAX_VALUE_LENGTH ? decodeHTMLAttribute(value) : value;
}

/** Elements written as `<svg/>`, `<path/>` … end at once; in HTML proper the slash means nothing. */
const UNMANAGED_LEAVES = new Set([
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
