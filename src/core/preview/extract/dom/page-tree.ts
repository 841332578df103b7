import { DomHandler, Element, Text, type ChildNode } from 'domhandler';

import { isBlock } from './elements.js';

/** No closing tag reaches an element beyond one of these; HTML §13.2.4.2 "in scope". */
const SCOPES = new Set('applet caption html table td th marquee object template'.split(' '));
/** Changes how the end of a script is found; HTML §13.2.5.19 to 33, "script data escaped". */
const SCRIPT_MARK = /<!--(?!-?>)|-->|<script(?=[\s/>])/gi;

const MAX_TITLE_LENGTH = 5_000;
/** Of the stack of open nodes: the document, and what holds the page. */
const OUTSIDE = 2;
/** A tag or a line break behind some text. */
const END_OF_LINE_OR_TEXT = /(?<=\S\s{0,50})(?:<[a-z/!]|\n)/i;

const CDATA_MARK = /<!\[CDATA\[|\]\]>/g;

/** The DOM of one page while it is built: without comments, CDATA as text. */
export class PageTree extends DomHandler {
  /** Holds the page: looking for elements takes a time that grows with the square of those that nothing holds. */
  readonly page = new Element('#page', {});
  nodes = 0;
  /** Names of the open elements, the innermost last, and how much each holds up: nothing, inline closing tags, all. */
  private readonly open: string[] = [];
  private readonly barriers: number[] = [];
  /** In document order. */
  readonly elements: Element[] = [];
  readonly metas: Element[] = [];
  isInBody = false;
  private scriptState: 'plain' | 'comment' | 'nested' = 'plain';
  /** Text of the open script that `endsScript` has not seen. */
  private scriptText = '';

  constructor() {
    super();
    this.addNode(this.page);
    this.tagStack.push(this.page);
  }

  get depth(): number {
    return this.open.length;
  }

  /** Adds an element behind all of the page. */
  addBehind(element: Element): void {
    this.tagStack.splice(OUTSIDE);
    this.addNode(element);
  }

  /** Does a closing tag end an open element of that name? Those of inline elements do not reach beyond blocks. */
  isInReach(name: string): boolean {
    const needed = isBlock(name) ? 2 : 1;
    for (let at = this.open.length - 1; at >= 0; at -= 1) {
      if (this.open[at] === name) return true;
      if ((this.barriers[at] ?? 0) >= needed) return false;
    }
    return false;
  }

  /** Does a `</script` here end the open script? Not inside `<!-- <script>`, where it ends the inner one. */
  endsScript(): boolean {
    for (const [mark] of this.scriptText.matchAll(SCRIPT_MARK)) {
      if (mark === '-->') this.scriptState = 'plain';
      else if (mark !== '<!--') this.scriptState = this.scriptState === 'plain' ? 'plain' : 'nested';
      else if (this.scriptState === 'plain') this.scriptState = 'comment';
    }
    this.scriptText = '';
    if (this.scriptState !== 'nested') return true;
    this.scriptState = 'comment';
    return false;
  }

  /** A title that was never closed has the rest of the page for text, of which the first line is likely. */
  cutOpenTitle(): void {
    const text = this.openTitleText;
    if (text === null) return;
    const start = text.data.slice(0, MAX_TITLE_LENGTH);
    const end = start.search(END_OF_LINE_OR_TEXT);
    text.data = end === -1 ? start : start.slice(0, end);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.open.push(name);
    this.barriers.push(SCOPES.has(name) ? 2 : isBlock(name) ? 1 : 0);
    const element = this.elements.at(-1);
    if (name === 'meta' && element !== undefined) this.metas.push(element);
    if (name === 'script') {
      this.scriptState = 'plain';
      this.scriptText = '';
    }
    if (name === 'body' || (isBlock(name) && name !== 'head' && name !== 'html')) this.isInBody = true;
  }

  /** In a title XHTML's CDATA is not recognised. */
  override onclosetag(): void {
    const text = this.openTitleText;
    if (text !== null) text.data = text.data.replaceAll(CDATA_MARK, '');
    super.onclosetag();
    this.open.pop();
    this.barriers.pop();
  }

  override ontext(data: string): void {
    super.ontext(data);
    if (this.isOpen('script')) this.scriptText += data;
  }

  override oncomment(): void {
    this.lastNode = null;
  }

  override oncommentend(): void {}

  override oncdatastart(): void {}

  override oncdataend(): void {}

  override onprocessinginstruction(): void {
    this.lastNode = null;
  }

  private isOpen(name: string): boolean {
    const open = this.tagStack.at(-1);
    return open !== undefined && 'name' in open && open.name === name;
  }

  private get openTitleText(): Text | null {
    const text = this.isOpen('title') ? this.tagStack.at(-1)?.lastChild : null;
    return text instanceof Text ? text : null;
  }

  protected override addNode(node: ChildNode): void {
    this.nodes += 1;
    if ('attribs' in node && node !== this.page) this.elements.push(node);
    super.addNode(node);
  }
}
