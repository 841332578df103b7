import { decodeHTML } from 'entities';
import type { Candidates } from './candidates.js';
import type { Attributes } from './tag-reader.js';

const MAX_OPEN = 16;
const MAX_HEADING_LENGTH = 5_000;
const MAX_HEADINGS = 5;
const MAX_ITEM_LENGTH = 2_000;
const MAX_ITEM_PATHS = 100;
const MAX_ITEM_VALUES = 10;

/** Tags that no author mentions in a title with attributes and all. */
const HEAD_TAG = /<(?:\/head>|\/tit|body[\s>]|meta\s|link\s|script[\s>]|style[\s>]|!--)/i;
/** A tag or a line break behind some text. */
const END_OF_LINE_OR_TEXT = /(?<=\S\s{0,50})(?:<[a-z/!]|\n)/i;

interface Capture {
  readonly depth: number;
  readonly limit: number;
  readonly done: (text: string) => void;
  readonly isScript: boolean;
  text: string;
}

/** Where an element with `itemprop` stands and what it carries. */
export interface ItemElement {
  readonly depth: number;
  readonly path: string;
  readonly name: string;
  readonly attributes: Attributes;
}

/** The texts being collected at a point of a page: from the start of an element to its end, each capped. */
export class CaptureList {
  private readonly open: Capture[] = [];
  private isAtEnd = false;

  constructor(private readonly found: Candidates) {}

  start(depth: number, limit: number, done: (text: string) => void): void {
    if (this.open.length < MAX_OPEN) this.open.push({ depth, limit, done, isScript: false, text: '' });
  }

  /** Text of a script reaches only a capture of that script. */
  startScript(depth: number, limit: number, done: (text: string) => void): void {
    this.open.push({ depth, limit, done, isScript: true, text: '' });
  }

  /** `inside` is the element the text stands directly in. */
  add(data: string, inside: string | undefined): void {
    if (this.open.length === 0 || inside === 'style') return;
    for (const capture of this.open) {
      if (capture.isScript !== (inside === 'script')) continue;
      if (capture.text.length < capture.limit) capture.text += data;
    }
  }

  closeAt(depth: number): void {
    let last = this.open.at(-1);
    while (last !== undefined && last.depth >= depth) {
      this.open.pop();
      const text = last.text.slice(0, last.limit);
      last.done(last.isScript || !text.includes('&') ? text : decodeHTML(text));
      last = this.open.at(-1);
    }
  }

  startHeading(name: string, depth: number): void {
    const texts = this.found.headings.get(name) ?? [];
    if (texts.length >= MAX_HEADINGS) return;
    this.found.headings.set(name, texts);
    const isTitle = name === 'title';
    this.start(depth, MAX_HEADING_LENGTH, (text) => texts.push(isTitle ? this.titleIn(text) : text));
  }

  /** What still is open at the end of the page was never closed. */
  endUnclosed(): void {
    this.isAtEnd = true;
  }

  /** A title that was not closed has the rest of the page, or of its head, for text. */
  private titleIn(text: string): string {
    const end = text.search(this.isAtEnd ? END_OF_LINE_OR_TEXT : HEAD_TAG);
    return end === -1 ? text : text.slice(0, end);
  }

  startItem(element: ItemElement): void {
    const { path, name, attributes } = element;
    const fixed = valueOf(name, attributes);
    if (fixed !== null) this.keepItem(path, fixed);
    // The value of an element with `itemscope` is the item, what stands in its own properties: not its text.
    else if (!attributes.has('itemscope'))
      this.start(element.depth, MAX_ITEM_LENGTH, (text) => this.keepItem(path, text));
  }

  keepVoid(path: string, name: string, attributes: Attributes): void {
    if (attributes.has('itemprop')) this.keepItem(path, valueOf(name, attributes) ?? '');
  }

  private keepItem(path: string, value: string): void {
    const known = this.found.items.get(path);
    if (value.trim() === '' || (known?.length ?? 0) >= MAX_ITEM_VALUES) return;
    if (known !== undefined) known.push(value);
    else if (this.found.items.size < MAX_ITEM_PATHS) this.found.items.set(path, [value]);
  }
}

/** Values that stand in an attribute; HTML §5.2.4 "values". Null: the element's text is the value. */
function valueOf(name: string, attributes: Attributes): string | null {
  const content = attributes.get('content');
  if (content !== undefined) return content.slice(0, MAX_ITEM_LENGTH);
  if (name === 'img') return attributes.get('src') ?? null;
  if (name === 'link') return attributes.get('href') ?? null;
  if (name === 'time') return attributes.get('datetime') ?? null;
  return null;
}
