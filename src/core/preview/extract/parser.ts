import { load } from 'cheerio/slim';
import { Parser, type QuoteType } from 'htmlparser2';
import { DomHandler, Element, type ChildNode } from 'domhandler';

import { isBlock } from './elements.js';
import { Page } from './page.js';

/** No closing tag reaches an element beyond one of these; HTML §13.2.4.2 "in scope". */
const SCOPES = new Set('applet caption html table td th marquee object template'.split(' '));
/** Changes how the end of a script is found; HTML §13.2.5.19 to 33, "script data escaped". */
const SCRIPT_MARK = /<!--(?!-?>)|-->|<script(?=[\s/>])/gi;

/** Of the stack of open nodes: the document, and what holds the page. */
const OUTSIDE = 2;
/** The DOM of one page while it is built: without comments, CDATA as text. */
class PageTree extends DomHandler {
  /** Holds the page: looking for elements takes a time that grows with the square of those that nothing holds. */
  readonly page = new Element('#page', {});
  nodes = 0;
  /** In document order. */
  readonly elements: Element[] = [];
  /** Meta tags and links: what a head says. */
  readonly tags: Element[] = [];
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
    return this.tagStack.length - OUTSIDE;
  }

  /** Adds an element behind all of the page. */
  addBehind(element: Element): void {
    this.tagStack.splice(OUTSIDE);
    this.addNode(element);
  }

  /** Does a closing tag end an open element of that name? Those of inline elements do not reach beyond blocks. */
  isInReach(name: string): boolean {
    const needed = isBlock(name) ? 2 : 1;
    for (let at = this.tagStack.length - 1; at >= OUTSIDE; at -= 1) {
      const open = this.nameAt(at);
      if (open === name) return true;
      const heldUp = SCOPES.has(open) ? 2 : isBlock(open) ? 1 : 0;
      if (heldUp >= needed) return false;
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

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    const element = this.elements.at(-1);
    if ((name === 'meta' || name === 'link') && element !== undefined) this.tags.push(element);
    if (name === 'script') {
      this.scriptState = 'plain';
      this.scriptText = '';
    }
    if (this.isInBody || name === 'html' || !isBlock(name)) return;
    this.isInBody = name === 'body' || !this.tagStack.some((_, at) => this.nameAt(at) === 'head');
  }

  override onclosetag(): void {
    // In a title XHTML's CDATA is not recognised.
    if (this.isOpen('title') && this.lastNode !== null && 'data' in this.lastNode)
      this.lastNode.data = this.lastNode.data.replaceAll(/<!\[CDATA\[|\]\]>/g, '');
    super.onclosetag();
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
    return this.nameAt(this.tagStack.length - 1) === name;
  }

  /** Of an open element, by its depth. */
  private nameAt(at: number): string {
    const open = this.tagStack[at];
    return open !== undefined && 'name' in open ? open.name : '';
  }

  protected override addNode(node: ChildNode): void {
    this.nodes += 1;
    if ('attribs' in node && node !== this.page) this.elements.push(node);
    super.addNode(node);
  }
}

/** Bounds the work: tags, attributes and runs of text. A page of a megabyte has some 50,000. */
const MAX_EVENTS = 200_000;
/** Bounds memory: elements and texts, some 250 bytes each. The longest articles have 30,000. */
const MAX_NODES = 60_000;
/** Bounds the search for the element that a closing tag ends. Pages stay below 100, browsers go to 512. */
const MAX_DEPTH = 256;
/** Of one tag; honest ones have twenty. */
const MAX_ATTRIBUTES = 256;
/** Characters of the name of an attribute. */
const MAX_NAME_LENGTH = 200;
/** Elements that are kept at any depth: nothing nests in them, and their text is none of the page's. */
const KEPT = new Set('title script style textarea iframe noembed noframes xmp'.split(' '));
const SCRIPT_END = /<\/script/gi;
/** The beginning of a `</script` that the next piece completes. */
const CUT_SCRIPT_END = /<(?:\/(?:s(?:c(?:r(?:i(?:p)?)?)?)?)?)?$/i;

/**
 * htmlparser2's parser with bounds, and with HTML's rules where it has simpler ones: closing tags do not reach beyond
 * cells and blocks, and a script may hold another one inside `<!--`. Elements nested too deep are left out, and their
 * content stands in the innermost one that is not.
 */
class BoundedParser extends Parser {
  /** Whether a limit is reached: the rest of the page is not read. */
  isStopped = false;
  private events = 0;
  private attributeCount = 0;
  private isAttributeKept = true;
  private isTagKept = true;
  /** Open elements that were left out. */
  private leftOut = 0;
  private piece = '';
  private pieceStart = 0;
  private pieceBefore = '';
  private heldBack = '';

  /** `isXml`: CDATA is text. */
  constructor(
    private readonly tree: PageTree,
    { isXml = false }: ParseOptions,
  ) {
    super(tree, { recognizeCDATA: isXml, recognizeSelfClosing: true });
  }

  override write(piece: string): void {
    const text = this.heldBack + piece;
    const cut = CUT_SCRIPT_END.exec(text.slice(-8));
    this.heldBack = cut === null ? '' : cut[0];
    const whole = text.slice(0, text.length - this.heldBack.length);
    let from = 0;
    for (const { index } of whole.matchAll(SCRIPT_END)) {
      this.writePart(whole.slice(from, index));
      const isInner = !this.tree.endsScript();
      if (isInner) this.writePart('<\\/');
      from = isInner ? index + 2 : index;
    }
    this.writePart(whole.slice(from));
  }

  override end(): void {
    this.writePart(this.heldBack);
    if (!this.isStopped) super.end();
  }

  override ontext(start: number, end: number): void {
    this.count();
    super.ontext(start, end);
  }

  override ontextentity(codePoint: number, end: number): void {
    this.count();
    super.ontextentity(codePoint, end);
  }

  override onopentagname(start: number, end: number): void {
    this.count();
    this.attributeCount = 0;
    const name = this.nameAt(start, end);
    this.isTagKept = this.tree.depth < MAX_DEPTH || this.isVoidElement(name) || KEPT.has(name);
    if (this.isTagKept) super.onopentagname(start, end);
    else this.leftOut += 1;
  }

  override onopentagend(end: number): void {
    if (this.isTagKept) super.onopentagend(end);
  }

  override onselfclosingtag(end: number): void {
    if (this.isTagKept) super.onselfclosingtag(end);
    else this.leftOut -= 1;
  }

  override onclosetag(start: number, end: number): void {
    this.count();
    const name = this.nameAt(start, end);
    if (this.leftOut > 0 && !KEPT.has(name)) this.leftOut -= 1;
    else if (name === 'br' || this.tree.isInReach(name)) super.onclosetag(start, end);
  }

  override onattribname(start: number, end: number): void {
    this.attributeCount += 1;
    this.isAttributeKept =
      this.isTagKept && this.attributeCount <= MAX_ATTRIBUTES && end - start <= MAX_NAME_LENGTH;
    if (!this.isAttributeKept) return;
    this.count();
    super.onattribname(start, end);
  }

  override onattribdata(start: number, end: number): void {
    if (this.isAttributeKept) super.onattribdata(start, end);
  }

  override onattribentity(codePoint: number): void {
    this.count();
    if (this.isAttributeKept) super.onattribentity(codePoint);
  }

  override onattribend(quote: QuoteType, end: number): void {
    if (this.isAttributeKept) super.onattribend(quote, end);
  }

  override oncomment(start: number, end: number, offset: number): void {
    this.count();
    super.oncomment(start, end, offset);
  }

  private writePart(part: string): void {
    if (this.isStopped || part === '') return;
    this.pieceBefore = this.piece;
    this.pieceStart += this.pieceBefore.length;
    this.piece = part;
    super.write(part);
  }

  private count(): void {
    this.events += 1;
    if (this.events <= MAX_EVENTS && this.tree.nodes <= MAX_NODES) return;
    this.isStopped = true;
    this.pause();
  }

  /** In lower case. A name is read when its end is, so that only its start may be in the piece before. */
  private nameAt(start: number, end: number): string {
    const from = start - this.pieceStart;
    const here = this.piece.slice(Math.max(0, from), end - this.pieceStart);
    return (from < 0 ? this.pieceBefore.slice(from) + here : here).toLowerCase();
  }
}

/** Characters of a page that are read; heads end within the first million. */
const MAX_LENGTH = 4_194_304;

interface ParseOptions {
  /** What headers say in the place of tags; stands behind the page's own. */
  readonly headers?: readonly Element[];
  /** XHTML served as such, where CDATA is text. */
  readonly isXml?: boolean;
  /** Asked between pieces once the head is over: need no more of the body be read? */
  readonly isEnough?: (tags: readonly Element[]) => boolean;
}

/** Parses a page from pieces of its text, in time and memory bounded whatever the page. */
export function parsePage(pieces: Iterable<string>, options: ParseOptions = {}): Page {
  const tree = new PageTree();
  const parser = new BoundedParser(tree, options);
  let length = 0;
  for (const piece of pieces) {
    // Browsers drop NUL from text; a database may refuse to keep it.
    parser.write(piece.includes('\0') ? piece.replaceAll('\0', '') : piece);
    length += piece.length;
    if (parser.isStopped || length > MAX_LENGTH) break;
    if (tree.isInBody && options.isEnough?.(tree.tags) === true) break;
  }
  parser.end();
  for (const element of options.headers ?? []) tree.addBehind(element);
  return new Page(load(tree.root, { xml: { xmlMode: false } }), tree.page, tree.elements);
}
