import { DomHandler, Element, type ChildNode } from 'domhandler';

import { isBlock } from './elements.js';

/** No closing tag reaches an element beyond one of these; HTML §13.2.4.2 "in scope". */
const SCOPES = new Set('applet caption html table td th marquee object template'.split(' '));
/** Closing tags of inline elements do not reach beyond these and blocks either. */
const INLINE_SCOPES = new Set(['button', 'noscript', 'select']);
/** How far closing tags of other elements reach. */
const Reach = { any: 0, blocks: 1, none: 2 } as const;
/** Changes how the end of a script is found; HTML §13.2.5.19 to 33, "script data escaped". */
const SCRIPT_MARK = /<!--(?!-?>)|-->|<script(?=[\s/>])/gi;

const MAX_TITLE_LENGTH = 5_000;
/** A tag or a line break behind some text. */
const END_OF_LINE_OR_TEXT = /(?<=\S\s{0,50})(?:<[a-z/!]|\n)/i;

const CDATA_MARK = /<!\[CDATA\[|\]\]>/g;

/** The DOM of one page while it is built: without comments, CDATA as text. */
export class PageTree extends DomHandler {
  /** Holds the page: looking for elements takes a time that grows with the square of those that nothing holds. */
  readonly page = new Element('#page', {});
  nodes = 0;
  /** Of the open elements, the innermost last; and what closing tags inside each may end outside of it. */
  private readonly names: string[] = [];
  private readonly reaches: number[] = [];
  /** The meta elements so far. */
  readonly metas: Element[] = [];
  /** Whether the head is over. */
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
    return this.names.length;
  }

  /** Adds an element behind all of the page. */
  addBehind(element: Element): void {
    this.tagStack.splice(2);
    this.addNode(element);
  }

  /** Does a closing tag end an open element of that name? */
  isInReach(name: string): boolean {
    const needed = isBlock(name) ? Reach.none : Reach.blocks;
    for (let at = this.names.length - 1; at >= 0; at -= 1) {
      if (this.names[at] === name) return true;
      if ((this.reaches[at] ?? Reach.none) >= needed) return false;
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
    const open = this.tagStack.at(-1);
    const text = open !== undefined && 'name' in open && open.name === 'title' ? open.lastChild : null;
    if (text === null || !('data' in text)) return;
    const start = text.data.slice(0, MAX_TITLE_LENGTH);
    const end = start.search(END_OF_LINE_OR_TEXT);
    text.data = end === -1 ? start : start.slice(0, end);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    const element = this.tagStack.at(-1);
    this.names.push(name);
    this.reaches.push(reachBeyond(name));
    if (name === 'meta' && element !== undefined && 'attribs' in element) this.metas.push(element);
    if (name === 'script') {
      this.scriptState = 'plain';
      this.scriptText = '';
    }
    if (name === 'body' || (isBlock(name) && name !== 'head' && name !== 'html')) this.isInBody = true;
  }

  /** In a title XHTML's CDATA is not recognised. */
  override onclosetag(): void {
    const open = this.tagStack.at(-1);
    const text = open !== undefined && 'name' in open && open.name === 'title' ? open.lastChild : null;
    if (text !== null && 'data' in text) text.data = text.data.replaceAll(CDATA_MARK, '');
    super.onclosetag();
    this.names.pop();
    this.reaches.pop();
  }

  override ontext(data: string): void {
    super.ontext(data);
    const open = this.tagStack.at(-1);
    if (open !== undefined && 'name' in open && open.name === 'script') this.scriptText += data;
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

  protected override addNode(node: ChildNode): void {
    this.nodes += 1;
    super.addNode(node);
  }
}

function reachBeyond(name: string): number {
  if (SCOPES.has(name)) return Reach.none;
  return isBlock(name) || INLINE_SCOPES.has(name) ? Reach.blocks : Reach.any;
}
